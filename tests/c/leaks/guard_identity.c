// Guards: comparing the pointer with something it can or cannot be (`p != buf`), and short-circuits.
#include <stdlib.h>
#include <string.h>

int not_stack_buffer_ok(size_t n) {
  char buf[2];
  char *p = buf;
  if (n > sizeof buf) p = malloc(n);
  if (!p) return -1;
  p[0] = 0;
  if (p != buf) free(p);
  return 0;
}

int equal_stack_buffer_ok(size_t n) {
  char buf[2];
  char *p = n > sizeof buf ? malloc(n) : buf;
  if (!p) return -1;
  p[0] = 0;
  if (p == buf) return 1;
  free(p);
  return 0;
}

int wrong_way_round_bad(size_t n) {
  char buf[2];
  char *p = n > sizeof buf ? malloc(n) : buf;  // LEAK: never-freed
  if (!p) return -1;
  p[0] = 0;
  if (p != buf) return 1;
  return 0;
}

static char empty[1];

int not_static_buffer_ok(const char *s) {
  char *p = s[0] ? strdup(s) : empty;
  if (!p) return -1;
  int first = p[0];
  if (p != empty) free(p);
  return first;
}

int not_static_buffer_bad(const char *s) {
  char *p = s[0] ? strdup(s) : empty;  // LEAK: conditional-leak
  if (!p) return -1;
  int first = p[0];
  if (p != empty && first != 'a') free(p);
  return first;
}

// The parameter itself or a copy of it.
int not_the_parameter_ok(const char *s, int n) {
  const char *p = s;
  if (n > 1) p = strdup(s);
  if (!p) return -1;
  int first = p[0];
  if (p != s) free((char *)p);
  return first;
}

int not_the_parameter_bad(const char *s, int n) {
  const char *p = s;
  if (n > 1) p = strdup(s);  // LEAK: never-freed
  if (!p) return -1;
  int first = p[0];
  if (p == s) first++;
  return first;
}

// A string literal or a copy.
int literal_or_copy_ok(const char *s) {
  static const char none[] = "(none)";
  const char *p = s[0] ? strdup(s) : none;
  if (!p) return -1;
  int first = p[0];
  if (p != none) free((void *)p);
  return first;
}

// Small-buffer optimisation inside an object.
struct small {
  char *data;
  char inline_data[4];
};

static int small_set(struct small *small, const char *s) {
  size_t size = strlen(s) + 1;
  small->data = size <= sizeof small->inline_data ? small->inline_data : malloc(size);
  if (!small->data) return -1;
  memcpy(small->data, s, size);
  return 0;
}

static void small_clear(struct small *small) {
  if (small->data != small->inline_data) free(small->data);
}

int small_buffer_ok(const char *s) {
  struct small small;
  if (small_set(&small, s) != 0) return -1;
  small_clear(&small);
  return 0;
}

int small_buffer_bad(const char *s) {
  struct small small;
  if (small_set(&small, s) != 0) return -1;  // LEAK: never-freed
  return small.data[0];
}

// Short-circuits.
int and_chain_ok(const char *s, int n) {
  char *a = NULL, *b = NULL;
  int ok = n > 0 && (a = strdup(s)) != NULL && (b = strdup(s)) != NULL;
  free(a);
  free(b);
  return ok;
}

int and_chain_bad(const char *s, int n) {
  char *a = NULL, *b = NULL;
  if (n > 0 && (a = strdup(s)) != NULL && (b = strdup(s)) != NULL) {  // LEAK: leak-if-allocation-fails
    free(a);
    free(b);
    return 1;
  }
  return 0;
}

int or_guard_ok(int n, int m) {
  char *p = NULL;
  if (n > 1 || m > 1) p = malloc(8);
  if (n > 1 || m > 1) free(p);
  return n;
}

int or_guard_bad(int n, int m) {
  char *p = NULL;
  if (n > 1 || m > 1) p = malloc(8);  // LEAK: conditional-leak
  if (n > 1 && m > 1) free(p);
  return n;
}

int de_morgan_ok(int n, int m) {
  char *p = malloc(8);
  if (n > 1 && m > 1) {
    free(p);
    return 1;
  }
  if (!(n > 1) || !(m > 1)) free(p);
  return 0;
}

int logical_value_ok(int n, int m) {
  char *p = NULL;
  int both = n > 0 && m > 0;
  if (both) p = malloc(8);
  if (n > 0 && m > 0) free(p);
  return both;
}

// Two pointers, the same block: freed if they are equal, and they are.
int alias_equal_ok(int n) {
  char *p = malloc(8);
  char *q = p;
  if (p == q) free(q);
  return n;
}

int alias_differs_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  char *q = p;
  if (p != q) free(q);
  return n;
}

// A callee that gives its argument back, or a copy of a part of it.
static char *from_letter(char *s, int how) {
  char *p;
  switch (how) {
    case 1:
      for (p = s; *p; p++)
        if (*p == 'a') return strdup(p);
      break;
    case 2:
      for (p = s; *p; p++)
        if (*p == 'b') return strdup(p);
      break;
  }
  return s;
}

int argument_given_back_ok(const char *s, int n) {
  char *whole = strdup(s);
  if (!whole) return -1;
  char *part = from_letter(whole, n);
  if (!part) {
    free(whole);
    return -1;
  }
  int first = part[0];
  if (part == whole) {
    free(whole);
    return first;
  }
  free(whole);
  free(part);
  return first;
}

int argument_given_back_bad(const char *s, int n) {
  char *whole = strdup(s);
  if (!whole) return -1;
  char *part = from_letter(whole, n);  // LEAK: conditional-leak
  if (!part) {
    free(whole);
    return -1;
  }
  int first = part[0];
  if (part != whole && n == 2) free(part);
  free(whole);
  return first;
}

// The same with a pointer in memory that the callee could have changed, for all that its caller knows.
struct text {
  char *word;
  int quoted;
};
static int texts;

static char *expanded(struct text *text, size_t *length) {
  if (text->quoted) {
    *length = strlen(text->word);
    return text->word;
  }
  texts++;
  char *copy = strdup(text->word);
  if (!copy) abort();
  *length = strlen(copy);
  return copy;
}

int field_given_back_ok(const char *s, int n) {
  struct text text = {(char *)s, n > 1};
  size_t length;
  char *word = expanded(&text, &length);
  if (length == 0) {
    if (word != text.word) free(word);
    return 0;
  }
  if (word != text.word) free(word);
  return 1;
}

int field_given_back_bad(const char *s, int n) {
  struct text text = {(char *)s, n > 1};
  size_t length;
  char *word = expanded(&text, &length);  // LEAK: conditional-leak
  if (length == 0) {
    if (word != text.word) free(word);
    return 0;
  }
  return word == text.word;
}


// A constant that is no address of anything.
struct zone {
  struct zone *next;
};
#define LOCAL_ZONE ((struct zone *)1)

static void zone_free(struct zone *zone) {
  if (zone == LOCAL_ZONE) return;
  while (zone) {
    struct zone *next = zone->next;
    free(zone);
    zone = next;
  }
}

static struct zone *zone_new(void) {
  struct zone *zone = malloc(sizeof *zone);
  if (zone) zone->next = 0;
  return zone;
}

int not_the_sentinel_ok(const char *s) {
  struct zone *zone = s[0] ? zone_new() : LOCAL_ZONE;
  if (!zone) return -1;
  int result = s[0] == 'a';
  zone_free(zone);
  return result;
}

int only_the_sentinel_bad(const char *s) {
  struct zone *zone = s[0] ? zone_new() : LOCAL_ZONE;  // LEAK: conditional-leak
  if (!zone) return -1;
  if (s[0] == 'a') return 1;
  zone_free(zone);
  return 0;
}

// A place in a buffer that was found before the block was made.
static char *grown(char *text, int *size) {
  int n = (int)strlen(text) + 1;
  if (n <= *size) return text;
  char *copy = malloc((size_t)n);
  if (!copy) abort();
  *size = n;
  return strcpy(copy, text);
}

int not_the_found_place_ok(const char *s) {
  char buf[32] = "";
  strncpy(buf, s, sizeof buf - 1);
  char *p = strchr(buf, 'a');
  if (!p) return 0;
  int size = 1;
  char *q = grown(p, &size);
  int result = q[0];
  if (p != q) free(q);
  return result;
}

int not_the_found_place_bad(const char *s) {
  char buf[32] = "";
  strncpy(buf, s, sizeof buf - 1);
  char *p = strchr(buf, 'a');
  if (!p) return 0;
  int size = 1;
  char *q = grown(p, &size);  // LEAK: never-freed
  int result = q[0];
  if (p == q) free(q);
  return result;
}
