// Losses behind a loop that has to be entered and left again, and behind callees that are known but take
// long: a search keeps to what is proposed, and to the path that it found before it entered them.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  int kind, type, length;
};

// The array is lost if no record has an address, but some have a name.
// NOT RUN: needs more behind its arguments than zeros
int records_bad(const struct record *all, int count, const char *const *texts, char **result) {
  if (count < 1 || count > 50) return -1;
  int *addresses = malloc(count * sizeof *addresses);  // LEAK: conditional-leak
  if (!addresses) return -1;
  int code = 0, found = 0, names = 0;
  for (int i = 0; i < count; i++) {
    if (all[i].length > 99) {
      code = 1;
      break;
    }
    if (all[i].kind == 1 && all[i].type == 1 && all[i].length == 4) addresses[found++] = i;
    if (all[i].kind == 1 && all[i].type == 5) {
      if (!texts[i]) {
        code = 2;
        break;
      }
      names++;
    }
    if (all[i].length < 0) {
      code = 3;
      break;
    }
  }
  if (code == 0 && found == 0 && names == 0) code = 4;
  if (code == 0) {
    if (found > 0) *result = (char *)addresses;
    return 0;
  }
  free(addresses);
  return code;
}

// NOT RUN: needs more behind its arguments than zeros
int records_ok(const struct record *all, int count, const char *const *texts, char **result) {
  if (count < 1 || count > 50) return -1;
  int *addresses = malloc(count * sizeof *addresses);
  if (!addresses) return -1;
  int code = 0, found = 0, names = 0;
  for (int i = 0; i < count; i++) {
    if (all[i].length > 99) {
      code = 1;
      break;
    }
    if (all[i].kind == 1 && all[i].type == 1 && all[i].length == 4) addresses[found++] = i;
    if (all[i].kind == 1 && all[i].type == 5) {
      if (!texts[i]) {
        code = 2;
        break;
      }
      names++;
    }
    if (all[i].length < 0) {
      code = 3;
      break;
    }
  }
  if (code == 0 && found == 0 && names == 0) code = 4;
  if (code == 0) {
    if (found > 0)
      *result = (char *)addresses;
    else
      free(addresses);
    return 0;
  }
  free(addresses);
  return code;
}

// What is only printed is not written to: the length is the same before and after.
static int lines;

static void tell_all(const char *format, va_list arguments) {
  char text[80];
  vsnprintf(text, sizeof text, format, arguments);
  lines++;
  if (text[0] == '!') printf("%d: %s\n", lines, text);
}

static void tell(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tell_all(format, arguments);
  va_end(arguments);
}

// NOT RUN: needs more behind its arguments than zeros
int told_ok(const struct record *record) {
  char *text = NULL;
  if (record->length > 3) text = strdup("text");
  tell("%p %d", (const void *)record, record->length);
  if (record->length > 3) free(text);
  return 0;
}

// NOT RUN: needs more behind its arguments than zeros
int told_bad(const struct record *record) {
  char *text = NULL;
  if (record->length > 3) text = strdup("text");  // LEAK: conditional-leak
  tell("%p %d", (const void *)record, record->length);
  if (record->length > 4) free(text);
  return 0;
}

// A callee that reads a text in its own way: to execute it on a path takes long, but it can say yes.
static int is_name(const unsigned char *at, const unsigned char *end) {
  int parts = 0, jumps = 0;
  while (at < end && *at) {
    if ((*at & 0xc0) == 0xc0) {
      if (at + 1 >= end || ++jumps > 9) return -1;
      at = end - ((*at & 0x3f) << 8 | at[1]);
    } else if ((*at & 0xc0) == 0) {
      int length = *at;
      if (length + 1 > end - at) return -1;
      for (int i = 1; i <= length; i++)
        if (at[i] == '.' || at[i] == '\\') parts++;
      at += length + 1;
      parts += length;
    } else {
      return -1;
    }
  }
  return parts;
}

// NOT RUN: needs more behind its arguments than zeros
int names_bad(const unsigned char *a, const unsigned char *b, const unsigned char *c, int n) {
  char *text = malloc(100);  // LEAK: conditional-leak
  if (!text) return -1;
  if (is_name(a, a + n) > 4 && is_name(b, b + n) > 4 && is_name(c, c + n) > 4) return 1;
  free(text);
  return 0;
}

// NOT RUN: needs more behind its arguments than zeros
int names_ok(const unsigned char *a, const unsigned char *b, const unsigned char *c, int n) {
  char *text = malloc(100);
  if (!text) return -1;
  if (is_name(a, a + n) < -1 && is_name(b, b + n) > 4 && is_name(c, c + n) > 4) return 1;
  free(text);
  return 0;
}
