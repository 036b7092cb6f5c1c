// Leak-fix histories: an array slot or a field of a heap object overwritten when an option repeats.
#include <stdlib.h>
#include <string.h>

struct options {
  char *output;
  char *prefix;
  char *extra[4];
};

static void options_free(struct options *options) {
  free(options->output);
  free(options->prefix);
  for (int i = 0; i < 4; i++) free(options->extra[i]);
  free(options);
}

int parse_field_bad(const char *flags) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  for (; *flags; flags++) {
    if (*flags == 'e') options->output = strdup(flags);  // LEAK: overwritten
    if (*flags == ' ') break;
  }
  options_free(options);
  return 0;
}

int parse_field_ok(const char *flags) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  for (; *flags; flags++) {
    if (*flags == 'e') {
      free(options->output);
      options->output = strdup(flags);
    }
  }
  options_free(options);
  return 0;
}

// A default, then the option itself: straight-line overwrite of a heap object's field.
int default_then_option_bad(const char *s) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  options->prefix = strdup("/usr");  // LEAK: overwritten
  if (s[0]) options->prefix = strdup(s);
  options_free(options);
  return 0;
}

int default_then_option_ok(const char *s) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  options->prefix = strdup("/usr");
  if (s[0]) {
    free(options->prefix);
    options->prefix = strdup(s);
  }
  options_free(options);
  return 0;
}

int array_slot_bad(const char *s, int n) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  options->extra[1] = strdup("default");  // LEAK: overwritten
  if (n > 1) options->extra[1] = strdup(s);
  options_free(options);
  return 0;
}

int array_slot_ok(const char *s, int n) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  options->extra[1] = strdup("default");
  if (n > 1) {
    free(options->extra[1]);
    options->extra[1] = strdup(s);
  }
  options_free(options);
  return 0;
}

// Different slots are different places.
int two_slots_ok(const char *s) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  options->extra[0] = strdup(s);
  options->extra[1] = strdup(s);
  options_free(options);
  return 0;
}

// A setter that frees the old value, called twice.
static void set_output(struct options *options, const char *output) {
  free(options->output);
  options->output = strdup(output);
}

int setter_ok(const char *s) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  set_output(options, "a.out");
  set_output(options, s);
  options_free(options);
  return 0;
}

static void replace_output(struct options *options, const char *output) {
  options->output = strdup(output);
}

int setter_bad(const char *s) {
  struct options *options = calloc(1, sizeof *options);
  if (!options) return -1;
  replace_output(options, "a.out");  // LEAK: overwritten
  replace_output(options, s);
  options_free(options);
  return 0;
}

// A local variable assigned twice.
int local_twice_bad(const char *s) {
  char *name = strdup("default");  // LEAK: overwritten
  name = strdup(s);
  free(name);
  return 0;
}

int local_twice_ok(const char *s) {
  char *name = strdup("default");
  char *old = name;
  name = strdup(s);
  free(old);
  free(name);
  return 0;
}

int set_to_null_bad(const char *s, int n) {
  char *name = strdup(s);  // LEAK: overwritten
  if (n > 2) name = NULL;
  free(name);
  return 0;
}
