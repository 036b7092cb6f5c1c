// What a callee does with what lies in one place holds for other places that it treats the same way.
#include <stdlib.h>
#include <string.h>

struct key {
  char *name, *path, *note;
};

static int uses;

// Touches none of the fields: one summary will do for all of them.
static void count(struct key *key) {
  if (key) uses++;
}

// Frees two of three: what holds for those does not hold for the third.
static void drop_two(struct key *key) {
  free(key->name);
  free(key->path);
}

int all_places_ok(const char *s) {
  struct key key = {strdup(s), strdup(s), strdup(s)};
  count(&key);
  drop_two(&key);
  count(&key);
  free(key.note);
  return uses;
}

int third_place_bad(const char *s) {
  struct key key = {strdup(s), strdup(s), strdup(s)};  // LEAK: never-freed
  count(&key);
  drop_two(&key);
  count(&key);
  return uses;
}

// Asked for the name from far away, `drop2` is not followed to its end; asked for the path, it is.
static void drop3(struct key *key) {
  free(key->name);
  free(key->path);
  free(key->note);
}
static void drop2(struct key *key) { drop3(key); }
static void drop1(struct key *key) { drop2(key); }
static void drop0(struct key *key) { drop1(key); }
static void drop(struct key *key) { drop0(key); }

int far_away_ok(const char *s) {
  struct key key = {0};
  key.name = strdup(s);
  drop(&key);
  return uses;
}

int near_ok(const char *s) {
  struct key key = {0};
  key.path = strdup(s);
  drop2(&key);
  return uses;
}

int nearer_ok(const char *s) {
  struct key key = {0};
  key.note = strdup(s);
  drop3(&key);
  return uses;
}
