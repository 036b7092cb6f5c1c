// What a callee returns tells whether there is a block, though the conditions are too many to be named.
#include <stdlib.h>
#include <string.h>

static int step(const char *s, int i) { return s[i] == ';' ? -1 : s[i] == ',' ? 2 : 1; }

// -1: nothing was allocated, or it was freed again.
static int convert(char **out, const char *s, int n) {
  char *buffer = NULL, *larger;
  int length = 0, size = 0, width, i = 0;
  if (s == NULL || out == NULL) {
    if (out) *out = NULL;
    return -1;
  }
  do {
    width = n == 0 && s[i] == '\\' ? 1 : step(s, i);
    if (width == 0) width = 1;
    if (width == -1) {
      free(buffer);
      *out = NULL;
      return -1;
    }
    if (size < length + width + 1) {
      while (size < length + width + 1) size += 8;
      larger = realloc(buffer, size);
      if (larger == NULL) {
        free(buffer);
        *out = NULL;
        return -1;
      }
      buffer = larger;
    }
    buffer[length] = s[i];
    if (width == 1 && s[i] == '\\') {
      length++;
    } else {
      length += width;
    }
    if (s[i]) i++;
  } while (s[i]);
  *out = buffer;
  return length;
}

int code_means_nothing_ok(const char *s, int n) {
  char *text;
  int length = convert(&text, s, n);
  if (length == -1) return 0;
  n = text[0];
  free(text);
  return n;
}

int code_handed_on(char **out, const char *s) { return convert(out, s, 1); }

int code_of_wrapper_ok(const char *s) {
  char *text;
  int length = code_handed_on(&text, s);
  if (length == -1) return 0;
  free(text);
  return length;
}

int other_code_bad(const char *s, int n) {
  char *text;
  int length = convert(&text, s, n);  // LEAK: conditional-leak
  if (length == -1) return 0;
  if (length == 1) return 1;
  free(text);
  return length;
}

int positive_only_bad(const char *s, int n) {
  char *text;
  int length = convert(&text, s, n);  // LEAK: conditional-leak
  if (length > 2) free(text);
  return length;
}

// Results through a second function, whose own ways are many: other negative numbers are not returned.
static int changes;

static long widen(char **out, const char *s, int how) {
  long i, length = (long)strlen(s);
  if (how == 0) return convert(out, s, 1);
  char *made = malloc((size_t)length + 1);
  if (!made) {
    *out = NULL;
    return -1;
  }
  for (i = 0; i < length; i++) {
    if (s[i] == 'b') {
      free(made);
      *out = NULL;
      return -1;
    }
    made[i] = s[i];
    if (changes & i) changes--;
  }
  made[i] = 0;
  *out = made;
  return i;
}

int no_such_code_ok(const char *s, int n) {
  char *text;
  long length = widen(&text, s, n);
  if (length == -1 || length == -2) return 0;
  free(text);
  return 1;
}

int such_a_length_bad(const char *s, int n) {
  char *text;
  long length = widen(&text, s, n);  // LEAK: conditional-leak
  if (length == -1 || length == 1) return 0;
  free(text);
  return 1;
}

// What is handed back is the caller's own number, and may well be the error code.
static int checked(int n) { return n < 1 ? -1 : n; }

int own_number_bad(int n) {
  char *text = malloc(4);  // LEAK: conditional-leak
  int m = checked(n);
  if (n == -1) return 0;
  free(text);
  return m;
}
