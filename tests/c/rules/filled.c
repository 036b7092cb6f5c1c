// Code that is not given gets at a place which holds a pointer to what was released: it puts something
// else there, or sees that nothing does.
#include <stdlib.h>

struct name { char *text; int length; };
struct context { struct name *name; int state; };
struct request { struct context *context; };

int import_name(const char *text, struct name **name);
int more_of(struct name **name);
int refill(struct context *context);
int run(struct request *request);
void show(const char *text);

void variable_ok(void) {
  struct name *name = malloc(sizeof *name);
  if (!name) return;
  free(name);
  more_of(&name);
  if (name) show(name->text);
}

void member_ok(struct context *context) {
  free(context->name);
  if (refill(context)) return;
  show(context->name->text);
}

void farther_ok(struct request *request) {
  free(request->context->name);
  run(request);
  show(request->context->name->text);
}

void parameter_ok(struct name **name, const char *text) {
  free(*name);
  if (import_name(text, name) != 0) return;
  show((*name)->text);
}

void loop_ok(struct name **name, const char **texts) {
  for (; *texts; texts++) {
    free(*name);
    import_name(*texts, name);
  }
}

static void clear(struct name **name) {
  if (!*name) return;
  free((*name)->text);
  free(*name);
}

void again_ok(struct name **name, const char **texts) {
  for (; *texts; texts++) {
    clear(name);
    if (import_name(*texts, name)) return;
    show((*name)->text);
  }
}

// It does not get at the place.
void elsewhere_bad(int n) {
  struct name *name = calloc(1, sizeof *name), *other = name;
  if (!name) return;
  free(name);
  name = NULL;
  other->length = n;  // RULE: use-after-free
}

void beside_bad(struct context *context, struct context *other) {
  free(context->name);
  if (refill(other)) return;
  show(context->name->text);  // RULE: use-after-free
}

// A copy of the pointer is still what it was.
void copy_bad(struct context *context) {
  struct name *name = context->name;
  free(context->name);
  refill(context);
  show(name->text);  // RULE: use-after-free
}
