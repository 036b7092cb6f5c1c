#ifndef PLUGIN_H
#define PLUGIN_H

struct plugin {
  const char *name;
  void *(*create)(const char *argument);
  int (*run)(void *state);
  void (*destroy)(void *state);
};

extern const struct plugin plugin_echo;
extern const struct plugin plugin_count;

#endif
