/* json_stream.h: a large JSON object read one piece at a time, so that a graph of a million ops needs little more memory than its
 * text. Not installed.
 *
 * The top-level object is walked once: members named in `streamed` must be arrays and are only located; all others are parsed
 * as usual into `head`. The elements of a located array are then parsed one by one. Syntax is jansson's throughout; an error
 * names line and column of the file. */
#ifndef HO_MODELS_JSON_STREAM_H
#define HO_MODELS_JSON_STREAM_H

#include <glib.h>
#include <jansson.h>

typedef struct {
  const char *file; /* for messages */
  char *text;
  size_t length;
  json_t *head;                /* the other members */
  const char *const *streamed; /* NULL-terminated */
  size_t *array;               /* offset of each streamed array's '[' in the text, 0 when absent */
} ho_json_stream;

typedef struct {
  const ho_json_stream *stream;
  const char *name; /* of the array */
  size_t at;
  gboolean first;
} ho_json_elements;

/* Reads `file` ("-": standard input). `streamed` must outlive the stream. */
ho_json_stream *ho_json_stream_open(const char *file, const char *const *streamed, GError **error);
/* A text that has been read already; `name` for messages. */
ho_json_stream *ho_json_stream_of_text(const char *name, const char *text, const char *const *streamed, GError **error);
void ho_json_stream_free(ho_json_stream *s);

/* FALSE when the array is absent. */
gboolean ho_json_stream_elements(const ho_json_stream *s, const char *name, ho_json_elements *e);
/* The next element (new reference) into *element, or NULL after the last. FALSE: error is set. */
gboolean ho_json_elements_next(ho_json_elements *e, json_t **element, GError **error);
/* The same in two steps, for a caller that may read the element itself: *text is where it begins (NULL after the last), then either
 * its length is skipped or it is parsed. */
gboolean ho_json_elements_begin(ho_json_elements *e, char **text, GError **error);
void ho_json_elements_skip(ho_json_elements *e, size_t length);
gboolean ho_json_elements_parse(ho_json_elements *e, json_t **element, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_json_stream, ho_json_stream_free)

#endif
