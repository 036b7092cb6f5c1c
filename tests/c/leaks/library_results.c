// What the C library guarantees of results that are not known.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 32, TIGHT = 11 };

char *numbered_ok(int number) {
  char *name = malloc(ROOM);
  if (name == NULL) return NULL;
  if (snprintf(name, ROOM, "gbsplay-%d.mid", number) >= ROOM) return NULL;
  return name;
}

char *numbered_bad(int number) {
  char *name = malloc(TIGHT);  // LEAK: conditional-leak
  if (name == NULL) return NULL;
  if (snprintf(name, TIGHT, "play-%d.mid", number) >= TIGHT) return NULL;
  return name;
}

char *hexadecimal_ok(unsigned a, unsigned short b) {
  char *name = malloc(ROOM);
  if (name == NULL) return NULL;
  if (snprintf(name, ROOM, "%08x:%hu%%%c", a, b, 'x') > 16) return NULL;
  return name;
}

char *joined_ok(int number, const char *s) {
  char part[8];
  char *name = malloc(ROOM);
  if (name == NULL) return NULL;
  strncpy(part, s, sizeof part - 1);
  part[sizeof part - 1] = 0;
  if (snprintf(name, ROOM, "%s-%d", part, number) >= ROOM) return NULL;
  return name;
}

char *joined_bad(int number, const char *s) {
  char *name = malloc(ROOM);  // LEAK: conditional-leak
  if (name == NULL) return NULL;
  if (snprintf(name, ROOM, "%s-%d", s, number) >= ROOM) return NULL;
  return name;
}

// What strchr finds is what it was asked for.
int port_ok(const char *url) {
  char *port = NULL;
  const char *end = strchr(url, '/');
  if (end == NULL) return -1;
  port = strdup("http");
  if (*end == ':') port = strdup(end + 1);
  if (port == NULL) return -1;
  int length = (int)strlen(port);
  free(port);
  return length;
}

int port_bad(const char *url) {
  char *port = NULL;
  const char *end = strpbrk(url, ":;");
  if (end == NULL) return -1;
  port = strdup("http");  // LEAK: overwritten
  if (*end == ';') port = strdup(end + 1);
  if (port == NULL) return -1;
  int length = (int)strlen(port);
  free(port);
  return length;
}
