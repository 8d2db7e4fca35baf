/* environment.c: see environment.h. */
#include "results/environment.h"

#include <cyaml/cyaml.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <protobuf-c/protobuf-c.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/utsname.h>
#include <yaml.h>

#include "base/digest.h"
#include "base/jsonio.h"
#include "config.h"
#include "results/build_info.h" /* written by make: HO_BUILD_COMMIT, HO_BUILD_FLAGS */

#define UNKNOWN "unknown"

const char *ho_build_commit(void) {
  return HO_BUILD_COMMIT;
}

static void set(json_t *object, const char *key, const char *value) {
  json_t *text = json_string(value);
  json_object_set_new(object, key, text ? text : json_string(UNKNOWN)); /* not UTF-8 */
}

static void set_steal(json_t *object, const char *key, char *value) {
  set(object, key, value ? value : UNKNOWN);
  g_free(value);
}

/* The rest of the first line that begins with `key` and `separator`, without quotes and blanks; NULL when there is none. */
static char *line_value(const char *file, const char *key, char separator) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents(file, &text, NULL, NULL)) return NULL;
  g_auto(GStrv) line = g_strsplit(text, "\n", -1);
  for (int i = 0; line[i]; i++) {
    char *at = strchr(line[i], separator);
    if (!at) continue;
    *at = 0;
    if (strcmp(g_strchomp(line[i]), key) != 0) continue;
    g_strdelimit(at + 1, "\"", ' ');
    return g_strdup(g_strstrip(at + 1));
  }
  return NULL;
}

static char *first_line(const char *file) {
  char *text = NULL;
  if (!g_file_get_contents(file, &text, NULL, NULL)) return NULL;
  text[strcspn(text, "\n")] = 0;
  return text;
}

static json_t *libraries(void) {
  json_t *v = json_object();
  set_steal(v, "glib", g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version));
  set(v, "glibc", gnu_get_libc_version());
  set(v, "gsl", gsl_version);
  set(v, "jansson", jansson_version_str());
  set(v, "libcyaml", cyaml_version_str);
  set(v, "libyaml", yaml_get_version_string());
  set(v, "protobuf-c", protobuf_c_version());
  set(v, "sqlite", sqlite3_libversion());
  return v;
}

static void add_machine(json_t *e) {
  struct utsname u;
  gboolean known = uname(&u) == 0;
  set_steal(e, "os", line_value("/etc/os-release", "PRETTY_NAME", '='));
  set_steal(e, "kernel", known ? g_strdup_printf("%s %s", u.sysname, u.release) : NULL);
  set(e, "machine", known ? u.machine : UNKNOWN);
  set_steal(e, "cpu", line_value("/proc/cpuinfo", "model name", ':'));
  json_object_set_new(e, "cpus", json_integer(g_get_num_processors()));
  set_steal(e, "memory", line_value("/proc/meminfo", "MemTotal", ':'));
  set_steal(e, "governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
}

ho_environment *ho_environment_capture(void) {
  json_t *e = json_object();
  set(e, "program", PACKAGE_NAME);
  set(e, "version", PACKAGE_VERSION);
  set(e, "commit", HO_BUILD_COMMIT);
#ifdef __clang__
  set(e, "compiler", "clang " __clang_version__);
#else
  set(e, "compiler", "gcc " __VERSION__);
#endif
  set(e, "flags", HO_BUILD_FLAGS);
  json_object_set_new(e, "libraries", libraries());
  add_machine(e);

  ho_environment *out = g_new(ho_environment, 1);
  out->json = ho_json_line(e);
  json_decref(e);
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, out->json);
  out->digest = ho_digest_finish(d);
  return out;
}

void ho_environment_free(ho_environment *e) {
  if (!e) return;
  g_free(e->json);
  g_free(e->digest);
  g_free(e);
}
