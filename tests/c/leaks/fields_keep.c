// What the program keeps true of its own members, whoever looks at them. NOT RUN: a driver would give members that the program never sets so.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A member that only ever gets one of four constants.
struct shape {
  int kind;
  struct shape *next;
  char *label;
};
static struct shape *shapes;

int add_shape_ok(int corners) {
  struct shape *s = malloc(sizeof *s);
  if (!s) return -1;
  s->kind = corners == 3 ? 1 : corners == 4 ? 2 : corners == 6 ? 4 : 8;
  s->label = NULL;
  s->next = shapes;
  shapes = s;
  return 0;
}

int kind_of_four_ok(struct shape *s) {
  char *p = malloc(8);
  switch (s->kind) {
    case 1:
    case 2:
      free(p);
      return 1;
    case 4:
    case 8:
      free(p);
      return 2;
  }
  return 0;
}

int kind_of_four_bad(struct shape *s) {
  char *p = malloc(8);  // LEAK: conditional-leak
  switch (s->kind) {
    case 1:
    case 2:
      free(p);
      return 1;
    case 4:
      free(p);
      return 2;
  }
  return 0;
}

// The label is set later: NULL before.
void label_shape_ok(struct shape *s) {
  if (!s->label) s->label = strdup("a shape");
}

int labelled_bad(struct shape *s) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (!s->label) return 0;
  free(p);
  return 1;
}

// A member that both makers set; who fails to make one releases what it has begun.
struct undo {
  char *name;
  void *data;
  char *note;
};
static struct undo *last_undo;

struct undo *new_undo_ok(const char *name) {
  struct undo *u = calloc(1, sizeof *u);
  if (!u) return NULL;
  u->data = malloc(16);
  if (!u->data) {
    free(u);
    return NULL;
  }
  u->name = strdup(name);
  last_undo = u;
  return u;
}

struct undo *copy_undo_ok(const struct undo *other) {
  struct undo *u = malloc(sizeof *u);
  if (!u) return NULL;
  u->name = strdup("copy");
  u->data = other->data;
  u->note = NULL;
  last_undo = u;
  return u;
}

int drop_undo_ok(struct undo *u) {
  char *p = malloc(8);
  if (u->data) free(p);
  return 0;
}

// Cleared with the object, and not set by its maker.
int note_undo_bad(struct undo *u) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (u->note) free(p);
  return 0;
}

void set_note_ok(struct undo *u) {
  if (!u->note) u->note = malloc(4);
}

// Reset by a destructor.
struct session {
  char *user;
  int open;
};
static struct session *current;

int begin_session_ok(const char *user) {
  struct session *s = malloc(sizeof *s);
  if (!s) return -1;
  s->user = strdup(user);
  s->open = 1;
  current = s;
  return 0;
}

void end_session_ok(struct session *s) {
  free(s->user);
  s->user = NULL;
}

int has_user_bad(struct session *s) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (s->user) free(p);
  return 0;
}

int is_open_ok(struct session *s) {
  char *p = malloc(8);
  if (s->open == 1) free(p);
  return 0;
}

// A number that is counted up from 1 is never 0.
struct channel {
  unsigned next_id;
  char *queue;
};
static struct channel *channels;

int make_channel_ok(void) {
  struct channel *c = calloc(1, sizeof *c);
  if (!c) return -1;
  c->next_id = 1;
  channels = c;
  return 0;
}

static unsigned send_on(struct channel *c, char *text) {
  free(text);
  return c->next_id++;
}

int send_text_ok(struct channel *c) {
  char *text = malloc(8);
  if (!text) return -1;
  if (send_on(c, text) == 0) return (int)(strlen(text) + 1);
  return 0;
}

int id_is_set_ok(struct channel *c) {
  char *p = malloc(8);
  if (c->next_id) free(p);
  return 0;
}

// Counted down as well.
struct counted {
  int refs;
  struct counted *next;
};
static struct counted *all_counted;

int make_counted_ok(void) {
  struct counted *c = malloc(sizeof *c);
  if (!c) return -1;
  c->refs = 1;
  c->next = all_counted;
  all_counted = c;
  return 0;
}

void unref_ok(struct counted *c) { c->refs--; }
void ref_ok(struct counted *c) { c->refs++; }

int refs_bad(struct counted *c) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (c->refs) free(p);
  return 0;
}

// The address of a member is given away.
struct option {
  int level;
  int mode;
  char *text;
};
static struct option *options;

int make_option_ok(void) {
  struct option *o = malloc(sizeof *o);
  if (!o) return -1;
  o->level = 1;
  o->mode = 1;
  o->text = NULL;
  options = o;
  return 0;
}

int read_option_ok(struct option *o, const char *from) { return sscanf(from, "%d", &o->level); }

int level_bad(struct option *o) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (o->level == 1) free(p);
  return 0;
}

int mode_beside_it_ok(struct option *o) {
  char *p = malloc(8);
  if (o->mode == 1) free(p);
  return 0;
}

// Bytes from outside, taken for a struct.
struct header {
  int version;
  int length;
};

int write_header_ok(int fd) {
  struct header h;
  h.version = 4;
  h.length = 8;
  return write(fd, &h, sizeof h) < 0;
}

int parse_header_bad(const char *packet) {
  const struct header *h = (const struct header *)packet;
  char *p = malloc(8);  // LEAK: conditional-leak
  if (h->version == 4) free(p);
  return 0;
}

// Two structs that begin with the same members.
struct node {
  int type;
};
struct leaf {
  int type;
  char *text;
};
struct node *make_node_ok(void) {
  struct node *n = malloc(sizeof *n);
  if (n) n->type = 1;
  return n;
}
struct node *make_leaf_ok(void) {
  struct leaf *l = malloc(sizeof *l);
  if (!l) return NULL;
  l->type = 2;
  l->text = NULL;
  return (struct node *)l;
}

int node_type_bad(struct node *n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (n->type == 1) free(p);
  return 0;
}

int node_type_ok(struct node *n) {
  char *p = malloc(8);
  if (n->type == 1 || n->type == 2) free(p);
  return 0;
}

// The tail of a list is the address of a member.
struct item {
  struct item *next;
  int n;
};
static struct {
  struct item *first;
  struct item **last;
} items = {NULL, &items.first};

int append_item_ok(struct item *i) {
  i->next = NULL;
  *items.last = i;
  items.last = &i->next;
  return 0;
}

int first_item_bad(void) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (items.first) return 1;
  free(p);
  return 0;
}

// A parameter that its callers have tested.
static int with_name(const char *name, int n) {
  char *p = malloc(8);
  if (!name) return -1;
  free(p);
  return n;
}

int first_caller_ok(const char *name) { return name ? with_name(name, 1) : 0; }

int second_caller_ok(const char *a, const char *b) {
  const char *name = a ? a : b;
  if (!name) return 1;
  return with_name(name, 2);
}

static int with_number(const char *name, int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (n > 3) return -1;
  if (name) puts(name);
  free(p);
  return n;
}

int third_caller_ok(const char *name, int n) { return n > 1 ? with_number(name, n) : 0; }
