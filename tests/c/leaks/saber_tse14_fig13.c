// The six scenarios of TSE'14 Fig. 13 (four of them ISSTA'12 Fig. 7), restated. Each is lost through
// memory: a field, an array element, the result of a constructor.
#include <stdlib.h>
#include <string.h>

// (a) A picture and its pixels, both lost when the format is none of those that are known.
enum format { FORMAT_ALPHA = 1, FORMAT_GREY = 2 };

struct image {
  int format;
  int channels;
  unsigned char *data;
};

static struct image *image_alloc(void) { return calloc(1, sizeof(struct image)); }

struct image *image_from_format_bad(int format, size_t pixels) {
  struct image *image = image_alloc();  // LEAK: conditional-leak
  if (!image) return NULL;
  image->format = format;
  image->data = malloc(pixels * 4 + 1);  // LEAK: conditional-leak with its owner
  switch (image->format) {
    case FORMAT_ALPHA:
      image->channels = 1;
      break;
    case FORMAT_GREY:
      image->channels = 2;
      break;
    default:
      return NULL;
  }
  return image;
}

struct image *image_from_format_ok(int format, size_t pixels) {
  struct image *image = image_alloc();
  if (!image) return NULL;
  image->format = format;
  image->data = malloc(pixels * 4 + 1);
  switch (image->format) {
    case FORMAT_ALPHA:
      image->channels = 1;
      break;
    case FORMAT_GREY:
      image->channels = 2;
      break;
    default:
      free(image->data);
      free(image);
      return NULL;
  }
  return image;
}

// (b) Two matrices built row by row: on failure the arrays of rows are freed, the rows are not.
int two_matrices_bad(int rows) {
  if (rows < 0) return -1;
  double **u = calloc((size_t)rows + 1, sizeof *u);
  double **v = calloc((size_t)rows + 1, sizeof *v);
  double *w = NULL;
  int i;
  if (!u || !v) {
    free(u);
    free(v);
    return -1;
  }
  for (i = 0; i < rows; i++) u[i] = malloc(8 * sizeof **u);  // LEAK: conditional-leak
  for (i = 0; i < rows; i++) v[i] = malloc(8 * sizeof **v);  // LEAK: conditional-leak
  w = malloc(8 * sizeof *w);
  if (!w || rows > 2) {
    free(w);
    free(u);
    free(v);
    return -1;
  }
  for (i = 0; i < rows; i++) {
    free(u[i]);
    free(v[i]);
  }
  free(u);
  free(v);
  free(w);
  return 0;
}

int two_matrices_ok(int rows) {
  if (rows < 0) return -1;
  double **u = calloc((size_t)rows + 1, sizeof *u);
  double **v = calloc((size_t)rows + 1, sizeof *v);
  double *w = NULL;
  int result = -1;
  int i;
  if (!u || !v) goto out;
  for (i = 0; i < rows; i++) u[i] = malloc(8 * sizeof **u);
  for (i = 0; i < rows; i++) v[i] = malloc(8 * sizeof **v);
  w = malloc(8 * sizeof *w);
  if (!w || rows > 2) goto out;
  result = 0;
out:
  for (i = 0; u && i < rows; i++) free(u[i]);
  for (i = 0; v && i < rows; i++) free(v[i]);
  free(u);
  free(v);
  free(w);
  return result;
}

// (c) The other way round: the rows are freed, the array that held them is not.
int distance_matrix_bad(int n) {
  if (n < 1) return -1;
  double **matrix = calloc((size_t)n, sizeof *matrix);  // LEAK: leak-if-allocation-fails
  if (!matrix) return -1;
  int i;
  for (i = 0; i < n; i++) {
    matrix[i] = malloc((size_t)(i + 1) * sizeof **matrix);
    if (!matrix[i]) break;
  }
  if (i < n) {
    for (int k = 0; k < i; k++) free(matrix[k]);
    return -1;
  }
  for (i = 0; i < n; i++) free(matrix[i]);
  free(matrix);
  return 0;
}

int distance_matrix_ok(int n) {
  if (n < 1) return -1;
  double **matrix = calloc((size_t)n, sizeof *matrix);
  if (!matrix) return -1;
  int i;
  for (i = 0; i < n; i++) {
    matrix[i] = malloc((size_t)(i + 1) * sizeof **matrix);
    if (!matrix[i]) break;
  }
  if (i < n) {
    for (int k = 0; k < i; k++) free(matrix[k]);
    free(matrix);
    return -1;
  }
  for (i = 0; i < n; i++) free(matrix[i]);
  free(matrix);
  return 0;
}

// (d) The owner is freed, its field is not.
struct prefix {
  char *text;
  size_t length;
};

int common_prefix_bad(const char *s, int n) {
  struct prefix *common = calloc(1, sizeof *common);
  if (!common) return -1;
  common->text = strdup(s);  // LEAK: never-freed
  if (!common->text || n < 0) {
    free(common);
    return -1;
  }
  common->length = strlen(common->text);
  int length = (int)common->length;
  free(common);
  return length;
}

int common_prefix_ok(const char *s, int n) {
  struct prefix *common = calloc(1, sizeof *common);
  if (!common) return -1;
  common->text = strdup(s);
  if (!common->text || n < 0) {
    free(common->text);
    free(common);
    return -1;
  }
  common->length = strlen(common->text);
  int length = (int)common->length;
  free(common->text);
  free(common);
  return length;
}

// (e) An entry and its name, lost when the insertion into the tree fails.
struct user {
  char *name;
  struct user *left, *right;
};

struct user_tree {
  struct user *root;
};

static int tree_insert(struct user_tree *tree, struct user *user) {
  struct user **at = &tree->root;
  while (*at) {
    int order = strcmp(user->name, (*at)->name);
    if (order == 0) return -1;
    at = order < 0 ? &(*at)->left : &(*at)->right;
  }
  *at = user;
  return 0;
}

static void users_free(struct user *user) {
  if (!user) return;
  users_free(user->left);
  users_free(user->right);
  free(user->name);
  free(user);
}

void load_users_bad(const char *first, const char *second) {
  struct user_tree users = {NULL};
  const char *names[] = {first, second};
  for (int i = 0; i < 2; i++) {
    struct user *user = calloc(1, sizeof *user);  // LEAK: conditional-leak
    if (!user) break;
    user->name = strdup(names[i]);  // LEAK: conditional-leak with its owner
    if (!user->name) {
      free(user);
      break;
    }
    tree_insert(&users, user);
  }
  users_free(users.root);
}

void load_users_ok(const char *first, const char *second) {
  struct user_tree users = {NULL};
  const char *names[] = {first, second};
  for (int i = 0; i < 2; i++) {
    struct user *user = calloc(1, sizeof *user);
    if (!user) break;
    user->name = strdup(names[i]);
    if (!user->name) {
      free(user);
      break;
    }
    if (tree_insert(&users, user) != 0) {
      free(user->name);
      free(user);
    }
  }
  users_free(users.root);
}

// (f) Opened and closed by the library; lost when a test between the two returns.
struct gif_private {
  int version;
};

struct gif {
  int images;
  struct gif_private *private;
};

static struct gif *gif_open(int images) {
  struct gif *gif = calloc(1, sizeof *gif);  // LEAK: conditional-leak
  if (!gif) return NULL;
  gif->private = calloc(1, sizeof *gif->private);  // LEAK: conditional-leak with its owner
  if (!gif->private) {
    free(gif);
    return NULL;
  }
  gif->images = images;
  return gif;
}

static void gif_close(struct gif *gif) {
  free(gif->private);
  free(gif);
}

int load_gif_bad(int images) {
  struct gif *gif = gif_open(images);
  if (!gif) return -1;
  if (gif->images < 1) return -2;
  int version = gif->private->version;
  gif_close(gif);
  return version;
}

struct png_private {
  int version;
};

struct png {
  int images;
  struct png_private *private;
};

static struct png *png_open(int images) {
  struct png *png = calloc(1, sizeof *png);
  if (!png) return NULL;
  png->private = calloc(1, sizeof *png->private);
  if (!png->private) {
    free(png);
    return NULL;
  }
  png->images = images;
  return png;
}

static void png_close(struct png *png) {
  free(png->private);
  free(png);
}

int load_png_ok(int images) {
  struct png *png = png_open(images);
  if (!png) return -1;
  if (png->images < 1) {
    png_close(png);
    return -2;
  }
  int version = png->private->version;
  png_close(png);
  return version;
}
