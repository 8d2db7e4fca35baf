/* again.c: see again.h. */
#include "models/rules/again.h"

static gboolean is_backward(const ho_workgraph *w, ho_op o) {
  return o >= 0 && w->op[o].info.phase == HO_PHASE_BACKWARD;
}

gboolean ho_read_backward(const ho_workgraph *w, ho_tensor t) {
  return ho_first_backward_reader(w, t) >= 0;
}

ho_op ho_first_backward_reader(const ho_workgraph *w, ho_tensor t) {
  ho_op first = -1;
  const ho_row *use = &w->tensor[t].use;
  for (int32_t i = 0; i < use->n; i++) {
    ho_op o = use->item[i];
    if (!is_backward(w, o)) continue;
    if (first < 0 || w->op[o].level < w->op[first].level || (w->op[o].level == w->op[first].level && o < first)) first = o;
  }
  return first;
}

/* The backward producer of an input of o that comes last. */
static ho_op producer_before(const ho_workgraph *w, ho_op o) {
  ho_op last = -1;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_op p = w->tensor[w->op[o].in.item[i]].info.producer;
    if (!is_backward(w, p)) continue;
    if (last < 0 || w->op[p].level > w->op[last].level || (w->op[p].level == w->op[last].level && p > last)) last = p;
  }
  return last;
}

ho_op ho_backward_before(const ho_workgraph *w, ho_op o, int32_t ahead) {
  ho_op before = producer_before(w, o);
  for (int32_t i = 0; i < ahead && before >= 0; i++) {
    ho_op earlier = producer_before(w, before);
    if (earlier < 0) break;
    before = earlier;
  }
  return before;
}

char *ho_again_op_name(const ho_workgraph *w, const char *base, const char *suffix) {
  GString *s = g_string_new(base);
  g_string_append_printf(s, ".%s", suffix);
  while (!ho_workgraph_fresh_op(w, s->str)) g_string_append_c(s, '\'');
  return g_string_free(s, FALSE);
}

char *ho_again_tensor_name(const ho_workgraph *w, const char *base, const char *suffix) {
  GString *s = g_string_new(base);
  g_string_append_printf(s, ".%s", suffix);
  while (!ho_workgraph_fresh_tensor(w, s->str)) g_string_append_c(s, '\'');
  return g_string_free(s, FALSE);
}

ho_tensor ho_add_token(ho_workgraph *w, ho_op maker, const char *name, ho_tensor place_of) {
  static const int64_t none[] = {0};
  g_autofree char *own = ho_again_tensor_name(w, name, "token");
  ho_tensor_info info = {.name = own, .dtype = HO_INT8, .rank = 1, .shape = none, .alias = -1, .producer = -1};
  ho_tensor t = ho_workgraph_add_tensor(w, &info, place_of);
  return ho_workgraph_produce(w, t, maker) ? t : -1;
}

gboolean ho_backward_reads_instead(ho_workgraph *w, ho_tensor t, ho_tensor instead) {
  gboolean ok = TRUE;
  for (int32_t i = w->tensor[t].use.n - 1; i >= 0; i--) {
    ho_op o = w->tensor[t].use.item[i];
    if (!is_backward(w, o) || o == w->tensor[instead].info.producer) continue;
    ho_workgraph_unconsume(w, t, o);
    ok &= ho_workgraph_consume(w, instead, o);
  }
  return ok;
}
