/* platform_find.c: where installed platforms, profiles and other data lie (platform_yaml.h).
 *
 * Three roots are searched in this order: $HETEROOPT_DATA, the place of `make install`, and the source tree that the program was
 * built from; below each, hwprofiles/platforms and hwprofiles/devices. */
#include <string.h>

#include "hwprofiles/platform_yaml.h"
#include "hwprofiles/profile.h"

#define N_ROOTS 3

static const char *root(int i) {
  const char *const roots[N_ROOTS] = {g_getenv("HETEROOPT_DATA"), HO_INSTALLED_DATA, HO_SOURCE_DATA};
  return roots[i] && *roots[i] ? roots[i] : NULL;
}

char *ho_data_file(const char *folder, const char *name, const char *suffix) {
  if (!*name || strpbrk(name, "/\\")) return NULL;
  g_autofree char *leaf = g_strconcat(name, suffix, NULL);
  for (int i = 0; i < N_ROOTS; i++) {
    if (!root(i)) continue;
    g_autofree char *file = g_build_filename(root(i), folder, leaf, NULL);
    if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) return g_steal_pointer(&file);
  }
  return NULL;
}

static char *installed_file(const char *folder, const char *name) {
  g_autofree char *path = g_build_filename("hwprofiles", folder, NULL);
  return ho_data_file(path, name, ".yaml");
}

static void list_folder(const char *path, GPtrArray *names) {
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  if (!dir) return;
  for (const char *leaf; (leaf = g_dir_read_name(dir));) {
    if (!g_str_has_suffix(leaf, ".yaml") || *leaf == '.') continue;
    g_autofree char *name = g_strndup(leaf, strlen(leaf) - strlen(".yaml"));
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) g_ptr_array_add(names, g_steal_pointer(&name));
  }
}

static int by_name(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char **installed_names(const char *folder) {
  GPtrArray *names = g_ptr_array_new();
  for (int i = 0; i < N_ROOTS; i++) {
    if (!root(i)) continue;
    g_autofree char *path = g_build_filename(root(i), "hwprofiles", folder, NULL);
    list_folder(path, names);
  }
  g_ptr_array_sort(names, by_name);
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

char **ho_platform_list(void) {
  return installed_names("platforms");
}

char **ho_device_list(void) {
  return installed_names("devices");
}

char *ho_platform_file(const char *name) {
  return installed_file("platforms", name);
}

char *ho_device_file(const char *name) {
  return installed_file("devices", name);
}

char *ho_profile_file(const char *name, const char *platform_file) {
  if (!*name || strpbrk(name, "/\\")) return NULL;
  g_autofree char *leaf = g_strconcat(name, ".yaml", NULL);
  g_autofree char *beside = g_path_get_dirname(platform_file);
  const char *const places[] = {"devices", "../devices"};
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *file = g_build_filename(beside, places[i], leaf, NULL);
    if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) return g_steal_pointer(&file);
  }
  return ho_device_file(name);
}
