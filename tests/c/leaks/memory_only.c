// Calls that fail for want of memory and for no other reason, though what they return is a number or a stream.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lost only if asprintf finds no memory.
int asprintf_fails_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: leak-if-allocation-fails
  char *text = NULL;
  if (copy == NULL) return -1;
  if (asprintf(&text, "%s!", copy) < 0) return -1;
  int length = (int)strlen(text);
  free(text);
  free(copy);
  return length;
}

int asprintf_fails_ok(const char *s) {
  char *copy = strdup(s);
  char *text = NULL;
  if (copy == NULL) return -1;
  if (asprintf(&text, "%s!", copy) == -1) {
    free(copy);
    return -1;
  }
  int length = (int)strlen(text);
  free(text);
  free(copy);
  return length;
}

// A stream over memory: opening it needs nothing else.
// NOT RUN: the allocator's hooks do not reach the stream's own block
int memory_stream_fails_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: leak-if-allocation-fails
  char *text = NULL;
  size_t size = 0;
  if (copy == NULL) return -1;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return -1;
  fputs(copy, out);
  fclose(out);
  free(text);
  free(copy);
  return (int)size;
}

// A file that is not there is another matter.
int file_fails_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (copy == NULL) return -1;
  FILE *out = fopen(copy, "r");
  if (out == NULL) return -1;
  fclose(out);
  free(copy);
  return 0;
}
