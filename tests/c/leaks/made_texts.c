// Texts that the library made or copied, and their lengths. NOT RUN: needs files and names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text that was just made is not empty if its format is not.
int made_ok(const char *name) {
  char buffer[100];
  char *p = malloc(10);
  snprintf(buffer, sizeof buffer, "%s.tmp", name);
  if (!*buffer) return -1;
  free(p);
  return 0;
}

int made_and_measured_ok(const char *name) {
  char buffer[100];
  char *p = malloc(10);
  sprintf(buffer, "/%s", name);
  if (strlen(buffer) == 0) return -1;
  free(p);
  return 0;
}

int may_be_empty_bad(const char *name) {
  char buffer[100];
  char *p = malloc(10);  // LEAK: conditional-leak
  snprintf(buffer, sizeof buffer, "%s", name);
  if (!*buffer) return -1;
  free(p);
  return 0;
}

int length_and_result_ok(const char *name) {
  char buffer[32];
  char *p = malloc(10);
  int n = snprintf(buffer, sizeof buffer, "%s", name);
  if (n >= 0 && n < 32 && strlen(buffer) != (size_t)n) return -1;
  free(p);
  return 0;
}

int cut_off_bad(const char *name) {
  char buffer[32];
  char *p = malloc(10);  // LEAK: conditional-leak
  int n = snprintf(buffer, sizeof buffer, "%s", name);
  if (n > 0 && strlen(buffer) != (size_t)n) return -1;
  free(p);
  return 0;
}

// A copy is as long as the text, and begins like it.
int copied_ok(const char *name) {
  char buffer[100];
  if (strlen(name) == 0 || strlen(name) > 90) return -1;
  char *p = malloc(10);
  strcpy(buffer, name);
  if (strlen(buffer) == 0) return -1;
  free(p);
  return 0;
}

int copied_bytes_ok(const char *name) {
  char buffer[100];
  if (!*name) return -1;
  char *p = malloc(10);
  strncpy(buffer, name, sizeof buffer);
  if (!*buffer) return -1;
  free(p);
  return 0;
}

int copied_later_bytes_bad(const char *name) {
  char buffer[100];
  if (!*name) return -1;
  char *p = malloc(10);  // LEAK: conditional-leak
  strncpy(buffer, name, sizeof buffer);
  if (!buffer[1]) return -1;
  free(p);
  return 0;
}

struct record {
  char name[16];
  char *rest;
};

// What lies beside the text stays.
int beside_the_text_ok(const char *name) {
  struct record one;
  if (!*name) return -1;
  one.rest = malloc(10);
  if (!one.rest) return -1;
  strcpy(one.name, name);
  if (!*one.name) return -1;
  free(one.rest);
  return 0;
}

int appended_ok(const char *name) {
  char buffer[100] = "x";
  char *p = malloc(10);
  strcat(buffer, name);
  if (strlen(buffer) < 1) return -1;
  free(p);
  return 0;
}

// Who has read a line has read something.
int line_ok(FILE *in) {
  char buffer[100];
  if (!fgets(buffer, sizeof buffer, in)) return -1;
  char *p = malloc(10);
  if (!*buffer) return -1;
  free(p);
  return 0;
}

int line_bad(FILE *in) {
  char buffer[100];
  if (!fgets(buffer, sizeof buffer, in)) return -1;
  char *p = malloc(10);  // LEAK: conditional-leak
  if (*buffer == '\n') return -1;
  free(p);
  return 0;
}
