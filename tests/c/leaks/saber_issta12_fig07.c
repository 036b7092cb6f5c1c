// ISSTA'12 Fig. 7(b): three objects in fields of a context, two constructors down, that the
// context's destructor does not know of. (7(a), (c), (d) are TSE'14 Fig. 13 (a), (e), (f).)
#include <stdlib.h>

struct texture {
  int target;
};

struct shared_state {
  struct texture *tex1d, *tex2d, *tex3d;
};

struct context {
  struct shared_state *shared;
};

struct screen {
  struct context *ctx;
  void *framebuffer;
};

static struct texture *texture_alloc(int target) {
  struct texture *texture = malloc(sizeof *texture);
  if (texture) texture->target = target;
  return texture;
}

static struct shared_state *shared_alloc(void) {
  struct shared_state *ss = calloc(1, sizeof *ss);
  if (!ss) return NULL;
  ss->tex1d = texture_alloc(1);  // LEAK: never-freed
  ss->tex2d = texture_alloc(2);  // LEAK: never-freed
  ss->tex3d = texture_alloc(3);  // LEAK: never-freed
  return ss;
}

static struct context *context_create(void) {
  struct context *ctx = calloc(1, sizeof *ctx);
  if (!ctx) return NULL;
  ctx->shared = shared_alloc();
  return ctx;
}

static void context_destroy(struct context *ctx) {
  if (!ctx) return;
  free(ctx->shared);
  free(ctx);
}

int screen_create_bad(int want_buffer) {
  struct screen screen;
  screen.ctx = context_create();
  if (!screen.ctx) return -1;
  screen.framebuffer = want_buffer > 0 ? malloc(64) : NULL;
  if (!screen.framebuffer) {
    context_destroy(screen.ctx);
    return -1;
  }
  free(screen.framebuffer);
  context_destroy(screen.ctx);
  return 0;
}

static struct shared_state *state_alloc(void) {
  struct shared_state *ss = calloc(1, sizeof *ss);
  if (!ss) return NULL;
  ss->tex1d = texture_alloc(1);
  ss->tex2d = texture_alloc(2);
  ss->tex3d = texture_alloc(3);
  return ss;
}

static void state_free(struct shared_state *ss) {
  if (!ss) return;
  free(ss->tex1d);
  free(ss->tex2d);
  free(ss->tex3d);
  free(ss);
}

int screen_create_ok(int want_buffer) {
  struct context *ctx = calloc(1, sizeof *ctx);
  if (!ctx) return -1;
  ctx->shared = state_alloc();
  void *framebuffer = want_buffer > 0 ? malloc(64) : NULL;
  if (!framebuffer) {
    state_free(ctx->shared);
    free(ctx);
    return -1;
  }
  free(framebuffer);
  state_free(ctx->shared);
  free(ctx);
  return 0;
}
