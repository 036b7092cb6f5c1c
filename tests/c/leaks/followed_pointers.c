// A pointer that was followed is not NULL; a bit that was tested is the same bit after a join.
#include <stdlib.h>
#include <string.h>

struct connection {
  int sock;
  char *ip;
};

static struct connection *connection_create(int sock, char *ip) {
  struct connection *c = calloc(1, sizeof *c);
  if (c) {
    c->sock = sock;
    c->ip = ip;
  }
  return c;
}

static int read_header(int sock) { return sock > 2; }

// Without memory the program ends at `con->sock`.
int followed_before_test_ok(const char *server, int n) {
  struct connection *con = connection_create(n, strdup(server));
  int r = read_header(con->sock);
  if (con) {
    free(con->ip);
    free(con);
  }
  return r;
}

int not_followed_bad(const char *server, int n) {
  struct connection *con = connection_create(n, strdup(server));  // LEAK: leak-if-allocation-fails
  if (con) {
    n = read_header(con->sock);
    free(con->ip);
    free(con);
  }
  return n;
}

// The old block is lost before NULL is followed.
// NOT RUN: without memory it ends in a crash, after the loss
int resized_bad(int n) {
  char *p = malloc(8);  // FN: overwritten it ends in a crash right after the loss
  if (!p) return -1;
  p = realloc(p, 100);
  p[0] = (char)n;
  free(p);
  return n;
}

// A flag word is loaded again, after a branch that may have changed it.
struct variable {
  char *value;
  int attributes;
};

static void touch(struct variable *v, int n) { v->attributes = n; }

int tested_again_ok(struct variable *v, const char *s, int n) {
  char *key = NULL;
  if ((v->attributes & 4) || (v->attributes & 64) == 0) {
    touch(v, n & 4);
  } else {
    key = strdup(s);
    if (!key) return -1;
  }
  if ((v->attributes & 4) == 0 && (v->attributes & 64) == 0) return 0;
  free(key);
  return 1;
}

int another_bit_bad(struct variable *v, const char *s, int n) {
  char *key = NULL;
  v->attributes = n;
  if ((v->attributes & 1) == 0) {
    touch(v, n & 4);
  } else {
    key = strdup(s);  // LEAK: conditional-leak
    if (!key) return -1;
  }
  if ((v->attributes & 2) == 0) return 0;
  free(key);
  return 1;
}
