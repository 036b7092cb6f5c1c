// What a counter decides, that lies in what the path did not make: who else holds a reference is not
// known. The counter may lie in the object, beside it, in another one, in a variable.
#include <stdlib.h>
#include <string.h>

struct conn { int refs; char *text; };
struct parcel { int refs; char *text; };
struct shared { int *refs; char *data; };
struct room { int users; struct conn *conn; };
struct box { struct conn *conn; char *name; };

void conn_put(struct conn *c) {
  if (--c->refs > 0) return;
  free(c->text);
  free(c);
}

void parcel_put(struct parcel *p) {
  if (--p->refs > 0) return;
  free(p->text);
  free(p);
}

char text_ok(struct parcel *p) {
  char *text = p->text;
  parcel_put(p);
  return text[0];
}

void shared_put(struct shared *s) {
  if (--*s->refs == 0) {
    free(s->data);
    free(s->refs);
  }
}

char shared_ok(struct shared *s) {
  char *data = s->data;
  shared_put(s);
  return data[0];
}

void room_leave(struct room *r) {
  if (--r->users == 0) {
    free(r->conn->text);
    free(r->conn);
    r->conn = NULL;
  }
}

int room_ok(struct room *r) {
  struct conn *c = r->conn;
  room_leave(r);
  return c->refs;
}

void atomic_put(struct parcel *p) {
  if (__sync_fetch_and_sub(&p->refs, 1) == 1) {
    free(p->text);
    free(p);
  }
}

char atomic_ok(struct parcel *p) {
  char *text = p->text;
  atomic_put(p);
  return text[0];
}

// Taken and given back: whether one is left, the path does not know either.
static char *take_and_put(struct conn *c) {
  char *text = c->text;
  c->refs++;
  if (--c->refs == 0) free(text);
  return text;
}

char taken_ok(struct conn *c) {
  return take_and_put(c)[0];
}

static int users;
static struct conn *common;

void enter(struct conn *c) {
  if (users++ == 0) common = c;
}

void leave(void) {
  if (--users == 0) {
    free(common);
    common = NULL;
  }
}

int variable_ok(void) {
  struct conn *c = common;
  leave();
  return c->refs;
}

// The counter of another object decides nothing about this one.
void box_drop(struct box *b) {
  conn_put(b->conn);
  free(b->name);
  free(b);
}

char *box_bad(int n) {
  struct box *b = malloc(sizeof *b);
  if (!b) return NULL;
  b->conn = calloc(1, sizeof *b->conn);
  b->name = strdup("box");
  if (b->conn && b->name) {
    char *name = b->name;
    b->conn->refs = 1;
    box_drop(b);
    name[0] = (char)n;  // RULE: use-after-free
    return NULL;
  }
  free(b->conn);
  free(b->name);
  free(b);
  return NULL;
}

char box_of_others_bad(struct box *b) {
  char *name = b->name;
  box_drop(b);
  return name[0];  // RULE: use-after-free
}

// The path made it, and so knows what the counter says.
void made_bad(int n) {
  struct conn *c = calloc(1, sizeof *c);
  if (!c) return;
  c->refs = 1;
  conn_put(c);
  c->refs = n;  // RULE: use-after-free
}

void made_ok(int n) {
  struct conn *c = calloc(1, sizeof *c);
  if (!c) return;
  c->refs = 2;
  conn_put(c);
  c->refs += n ? 0 : 0;
  conn_put(c);
}

// Whenever the function itself comes there, it goes on like this.
void itself_bad(struct conn *c) {
  if (--c->refs == 0) free(c);
  c->refs = 7;  // RULE: use-after-free
}
