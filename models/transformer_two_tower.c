/* transformer_two_tower.c: a two-tower retrieval model: one network for users, one for items, which meet in a product of all users of
 * the batch with all items, trained with a softmax over the items of the batch (Yi et al., RecSys 2019). The towers do not
 * depend on each other until then. Sizes are options, since deployed ones are not published. */
#include "models/transformer.h"
#include "models/transformer_block.h"

static const ho_option options_of_two_tower[] = {
    {"batch", HO_OPTION_INT, "256", 1, 65536, NULL, "users that are worked on together"},
    {"items", HO_OPTION_INT, "256", 1, 1048576, NULL, "items that every user is held against; in training, those of the batch"},
    {"users_known", HO_OPTION_INT, "1000000", 1, 1000000000, NULL, "rows of the users' tables, all features together"},
    {"items_known", HO_OPTION_INT, "1000000", 1, 1000000000, NULL, "rows of the items' tables, all features together"},
    {"features", HO_OPTION_INT, "8", 1, 64, NULL, "categorical features of a user or item, each an index"},
    {"dim", HO_OPTION_INT, "64", 1, 4096, NULL, "size of an embedded feature"},
    {"hidden", HO_OPTION_INT, "1024", 1, 65536, NULL, "size of the first hidden layer; each next one is half of it"},
    {"layers", HO_OPTION_INT, "3", 1, 10, NULL, "layers of a tower"},
    HO_OPTION_PRECISION,
    HO_OPTION_MODE,
    {.name = NULL}};

typedef struct {
  ho_tape *t;
  int64_t features, dim, hidden, layers;
} tower;

static ho_value embed(const tower *w, const char *name, int64_t rows, int64_t known) {
  ho_value indices = ho_tape_indices(w->t, name, ho_shape2(rows, w->features));
  ho_tape_layer(w->t, name);
  ho_weight table = ho_tape_weight(w->t, "embedding.weight", ho_shape2(known, w->dim));
  ho_value x = ho_tape_embedding(w->t, "embedding", table, indices, w->dim);
  return ho_tape_reshape(w->t, "reshape", x, ho_shape2(rows, w->features * w->dim));
}

static ho_value build_tower(const tower *w, const char *name, int64_t rows, int64_t known) {
  ho_value x = embed(w, name, rows, known);
  for (int64_t i = 0; i < w->layers; i++) {
    g_autofree char *layer = g_strdup_printf("mlp.%" G_GINT64_FORMAT, i), *relu = g_strdup_printf("relu.%" G_GINT64_FORMAT, i);
    x = ho_tape_gemm(w->t, layer, x, MAX(1, w->hidden >> i));
    if (i + 1 < w->layers) x = ho_tape_pointwise(w->t, relu, &ho_relu, x);
  }
  return x;
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t users = ho_options_int(options, "batch"), items = ho_options_int(options, "items");
  tower w = {ho_tape_of_options(name, options, (double)users), ho_options_int(options, "features"),
             ho_options_int(options, "dim"), ho_options_int(options, "hidden"), ho_options_int(options, "layers")};
  ho_value user = build_tower(&w, "user", users, ho_options_int(options, "users_known"));
  ho_value item = build_tower(&w, "item", items, ho_options_int(options, "items_known"));
  ho_tape_layer(w.t, "head");
  item = ho_tape_transpose(w.t, "transpose", item, ho_shape2(item.dim[1], items));
  return ho_tape_finish(w.t, ho_tape_matmul(w.t, "scores", user, item), error);
}

const ho_model_builder ho_model_two_tower = {.name = "two-tower",
                                             .summary = "retrieval model: a tower for users, one for items, scores of all pairs",
                                             .source = "Yi et al., RecSys 2019; sizes are this project's",
                                             .options = options_of_two_tower,
                                             .build = build};
