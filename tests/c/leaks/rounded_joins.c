// Ways that are too many to be named meet at one label; what happens there does not happen elsewhere.
#include <stdlib.h>
#include <string.h>

struct options {
  char *command;
  char *from;
  int flags;
  int until;
};

static const char *const inputs[] = {"a,f=x", "g,m,h=yes,", "", "f=no,"};
static const char *rest;  // of the text

static int flag(const char *name) {
  if (*rest != *name) return -1;
  rest++;
  if (*rest == '-') {
    rest++;
    return 0;
  }
  return 1;
}

static char *quoted(void) {
  char *text;
  if (*rest != '=') return NULL;
  if ((text = strdup(rest)) == NULL) return NULL;
  while (*rest && *rest != ' ' && *rest != ',') rest++;
  return text;
}

static void options_free(struct options *o) {
  if (o == NULL) return;
  free(o->command);
  free(o->from);
  free(o);
}

static int has(int set, int what) { return strchr("nopqrstuvw" + set % 5, 'a' + what) != NULL; }

#define SET(name, bad) \
  else if ((r = flag(name)) != -1) { \
    if (has(o->flags, bad) && !has(o->until, bad)) goto fail; \
    if (has(r, bad) && (has(o->until, bad + 1) || !has(r, bad + 2))) goto fail; \
    if (o->until > bad || has(r + 1, bad) != has(o->flags, bad + 1)) goto fail; \
    o->flags |= r; \
  }

struct options *parse_ok(int i) {
  struct options *o = NULL;
  int r;
  rest = inputs[i & 3];
  if ((o = calloc(1, sizeof *o)) == NULL) goto fail;  // OPEN: most-nodes
  while (*rest && *rest != ' ' && *rest != '\t') {
    if ((r = flag("a")) != -1) {
      o->flags = r;
    }
    SET("b", 2)
    SET("c", 3)
    SET("d", 4)
    SET("e", 5)
    else if ((r = flag("f")) != -1) {
      if (o->command != NULL) goto fail;
      o->command = quoted();  // OPEN: most-nodes
      if (o->command == NULL) goto fail;
    }
    SET("g", 7)
    else if ((r = flag("h")) != -1) {
      if (o->from != NULL) goto fail;
      o->from = quoted();  // OPEN: most-nodes
      if (o->from == NULL) goto fail;
    }
    SET("k", 9)
    SET("l", 10)
    SET("m", 11)
    SET("n", 12)
    SET("o", 13)
    SET("p", 14)
    SET("q", 15)
    SET("s", 16)
    SET("t", 17)
    SET("u", 18)
    SET("v", 19)
    SET("w", 20)
    SET("x", 21)
    SET("y", 22)
    SET("z", 23)
    if (*rest == '\0' || *rest == ' ' || *rest == '\t') break;
    if (*rest != ',') goto fail;
    rest++;
    if (*rest == '\0') goto fail;
  }
  return o;
fail:
  options_free(o);
  return NULL;
}

struct options *parse_bad(int i) {
  struct options *o = NULL;
  int r;
  rest = inputs[i & 3];
  if ((o = calloc(1, sizeof *o)) == NULL) goto fail;  // OPEN: most-nodes
  while (*rest && *rest != ' ' && *rest != '\t') {
    if ((r = flag("a")) != -1) {
      o->flags = r;
    }
    SET("b", 2)
    SET("c", 3)
    SET("d", 4)
    SET("e", 5)
    else if ((r = flag("f")) != -1) {
      if (o->command != NULL) goto fail;
      o->command = quoted();  // LEAK: conditional-leak
      if (o->command == NULL) goto fail;
    }
    SET("g", 7)
    else if ((r = flag("h")) != -1) {
      if (o->from != NULL) goto fail;
      o->from = quoted();  // OPEN: most-nodes
      if (o->from == NULL) goto fail;
    }
    SET("k", 9)
    SET("l", 10)
    SET("m", 11)
    SET("n", 12)
    SET("o", 13)
    SET("p", 14)
    SET("q", 15)
    SET("s", 16)
    SET("t", 17)
    SET("u", 18)
    SET("v", 19)
    SET("w", 20)
    SET("x", 21)
    SET("y", 22)
    SET("z", 23)
    if (*rest == '\0' || *rest == ' ' || *rest == '\t') break;
    if (*rest != ',') goto fail;
    rest++;
    if (*rest == '\0') goto fail;
  }
  return o;
fail:
  if (o != NULL) {
    free(o->from);
    free(o);
  }
  return NULL;
}
