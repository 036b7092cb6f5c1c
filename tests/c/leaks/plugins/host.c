#include "plugin.h"

#include <stddef.h>

static int run_plugin(const struct plugin *plugin, const char *argument) {
  void *state = plugin->create(argument);
  if (!state) return -1;
  int result = plugin->run(state);
  plugin->destroy(state);
  return result;
}

int host_echo_ok(const char *s) { return run_plugin(&plugin_echo, s); }
int host_count_bad(const char *s) { return run_plugin(&plugin_count, s); }

int host_skips_destroy_bad(const char *s, int n) {
  void *state = plugin_echo.create(s);  // LEAK: conditional-leak
  if (!state) return -1;
  if (n < 0) return -1;
  plugin_echo.destroy(state);
  return 0;
}

static const struct plugin *find(int n) { return n > 1 ? &plugin_count : &plugin_echo; }

int host_found_bad(const char *s, int n) {
  const struct plugin *plugin = find(n);
  void *state = plugin->create(s);  // LEAK: never-freed|conditional-leak
  return state != NULL;
}

int host_found_ok(const char *s, int n) {
  const struct plugin *plugin = find(n);
  void *state = plugin->create(s);
  if (state) plugin->destroy(state);
  return 0;
}
