// What the C library guarantees of results that are not known.
#define _GNU_SOURCE
#include <pthread.h>
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

// fgetc returns a byte or EOF.
int byte_ok(const char *s) {
  FILE *in = s[0] ? fmemopen((void *)s, strlen(s), "r") : NULL;
  if (in == NULL) return -1;
  if (fgetc(in) == EOF) {
    fclose(in);
    return -1;
  }
  char *text = malloc(ROOM);
  int byte = fgetc(in);
  fclose(in);
  if (byte < EOF) return -2;
  free(text);
  return byte;
}

int byte_bad(const char *s) {
  FILE *in = s[0] ? fmemopen((void *)s, strlen(s), "r") : NULL;
  if (in == NULL) return -1;
  if (fgetc(in) == EOF) {
    fclose(in);
    return -1;
  }
  char *text = malloc(ROOM);  // LEAK: conditional-leak
  int byte = fgetc(in);
  fclose(in);
  if (byte <= EOF) return -2;
  free(text);
  return byte;
}

// A block of unknown size that is cleared as a whole.
struct connection {
  int state;
  char *peer;
};

int cleared_ok(unsigned char more) {
  size_t size = sizeof(struct connection) + more;
  struct connection *made = malloc(size);
  if (made == NULL) return -1;
  memset(made, 0, size);
  made->peer = strdup("peer");
  if (made->state < 3) free(made->peer);
  free(made);
  return 0;
}

int cleared_bad(unsigned char more) {
  size_t size = sizeof(struct connection) + more;
  struct connection *made = malloc(size);
  if (made == NULL) return -1;
  memset(made, 0, size);
  made->peer = strdup("peer");  // LEAK: conditional-leak
  if (made->state >= 3) free(made->peer);
  free(made);
  return 0;
}

// A lock of the usual kind works; one that is tried may be taken.
int under_lock_ok(int number) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  char *error = NULL;
  if (pthread_mutex_lock(&lock) != 0) error = malloc(8);
  if (error != NULL) return number;
  return pthread_mutex_unlock(&lock);
}

int tried_lock_bad(int number) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  char *error = NULL;
  if (pthread_mutex_lock(&lock) != 0) return 0;
  if (pthread_mutex_trylock(&lock) != 0) error = malloc(8);  // LEAK: never-freed
  if (error != NULL) number++;
  pthread_mutex_unlock(&lock);
  return number;
}

// asprintf gives -1, or the length of its text: not less than what its format has without directives.
int length_of_home_ok(const char *home) {
  char *name;
  int found = 0;
  if (asprintf(&name, "%s/.config", home) > 0) {
    found = name[0] == '/';
    free(name);
  }
  return found;
}

int length_of_anything_bad(const char *text) {
  char *name;
  int found = 0;
  if (asprintf(&name, "%s", text) > 0) {  // LEAK: conditional-leak
    found = name[0] == '/';
    free(name);
  }
  return found;
}
