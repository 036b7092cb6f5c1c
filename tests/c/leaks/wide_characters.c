// wchar_t: wcsdup, wide copies and conversions.
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int wcsdup_bad(const wchar_t *s) {
  wchar_t *copy = wcsdup(s);  // LEAK: never-freed
  return copy ? (int)wcslen(copy) : -1;
}

int wcsdup_ok(const wchar_t *s) {
  wchar_t *copy = wcsdup(s);
  int length = copy ? (int)wcslen(copy) : -1;
  free(copy);
  return length;
}

int wide_buffer_bad(const wchar_t *s, int n) {
  wchar_t *buffer = malloc(100 * sizeof *buffer);  // LEAK: conditional-leak
  if (!buffer) return -1;
  wcscpy(buffer, s);
  if (n > 1) return (int)buffer[0];
  free(buffer);
  return 0;
}

int wide_buffer_ok(const wchar_t *s) {
  wchar_t *buffer = calloc(100, sizeof *buffer);
  if (!buffer) return -1;
  wcscpy(buffer, s);
  int first = (int)buffer[0];
  free(buffer);
  return first;
}

// wcscpy, wmemcpy and wcscat return their first argument: still the same block.
int returned_destination_ok(const wchar_t *s) {
  wchar_t *buffer = malloc((wcslen(s) + 1) * sizeof *buffer);
  if (!buffer) return -1;
  wchar_t *same = wcscpy(buffer, s);
  free(same);
  return 0;
}

int returned_destination_bad(const wchar_t *s, int n) {
  wchar_t *buffer = malloc((wcslen(s) + 1) * sizeof *buffer);  // LEAK: conditional-leak
  if (!buffer) return -1;
  wchar_t *same = wmemcpy(buffer, s, wcslen(s) + 1);
  if (n > 0) free(same);
  return 0;
}

static char *to_bytes(const wchar_t *s) {
  size_t size = wcstombs(NULL, s, 0);
  if (size == (size_t)-1) return NULL;
  char *bytes = malloc(size + 1);
  if (bytes) wcstombs(bytes, s, size + 1);
  return bytes;
}

int converted_bad(const wchar_t *s) {
  char *bytes = to_bytes(s);  // LEAK: never-freed
  return bytes ? bytes[0] : -1;
}

int converted_ok(const wchar_t *s) {
  char *bytes = to_bytes(s);
  int first = bytes ? bytes[0] : -1;
  free(bytes);
  return first;
}

// wcstok keeps its place in a variable of the caller's; the block stays with its variable.
int tokens_ok(const wchar_t *s) {
  wchar_t *copy = wcsdup(s);
  wchar_t *state;
  int words = 0;
  if (!copy) return -1;
  for (wchar_t *word = wcstok(copy, L" ", &state); word; word = wcstok(NULL, L" ", &state)) words++;
  free(copy);
  return words;
}

// The same for narrow characters: strcpy, strcat, memcpy, memset return their destination.
int narrow_destination_ok(const char *s) {
  char *buffer = strcpy(malloc(strlen(s) + 1), s);
  free(buffer);
  return 0;
}

int narrow_destination_bad(const char *s) {
  char *buffer = strcat(strcpy(malloc(strlen(s) + 2), s), "!");  // LEAK: never-freed
  return buffer[0];
}

int memset_destination_ok(int n) {
  char *buffer = memset(malloc(16), n, 16);
  free(buffer);
  return 0;
}
