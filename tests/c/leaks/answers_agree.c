// The same question about the same world has one answer along a path. NOT RUN: needs files and names.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// Asked twice, with nothing in between that could change a file.
int asked_twice_ok(const char *name) {
  struct stat st, other;
  char *p = NULL;
  if (stat(name, &st) == 0) p = malloc(10);
  fprintf(stderr, "%s\n", name);
  if (stat(name, &other) == 0) free(p);
  return 0;
}

int another_name_bad(const char *name, const char *second) {
  struct stat st;
  char *p = NULL;
  if (stat(name, &st) == 0) p = malloc(10);  // LEAK: conditional-leak
  if (stat(second, &st) == 0) free(p);
  return 0;
}

int removed_between_bad(const char *name) {
  struct stat st;
  char *p = NULL;
  if (stat(name, &st) == 0) p = malloc(10);  // LEAK: conditional-leak
  unlink(name);
  if (stat(name, &st) == 0) free(p);
  return 0;
}

int slept_between_bad(const char *name) {
  char *p = NULL;
  if (access(name, F_OK) != 0) p = malloc(10);  // LEAK: conditional-leak
  sleep(1);
  if (access(name, F_OK) != 0) free(p);
  return 0;
}

int name_changed_bad(char *name) {
  struct stat st;
  char *p = NULL;
  if (stat(name, &st) == 0) p = malloc(10);  // LEAK: conditional-leak
  name[0]++;
  if (stat(name, &st) == 0) free(p);
  return 0;
}

// What it left behind its argument is the same as well.
int directory_twice_ok(const char *name) {
  struct stat st, other;
  char *p = NULL;
  if (stat(name, &st) != 0) return -1;
  if (S_ISDIR(st.st_mode)) p = malloc(10);
  if (stat(name, &other) != 0) return -1;
  if (S_ISDIR(other.st_mode)) free(p);
  return 0;
}

int directory_or_link_bad(const char *name) {
  struct stat st, other;
  char *p = NULL;
  if (stat(name, &st) != 0) return -1;
  if (S_ISDIR(st.st_mode)) p = malloc(10);  // LEAK: conditional-leak
  if (lstat(name, &other) != 0) return -1;
  if (S_ISDIR(other.st_mode)) free(p);
  return 0;
}

// A function of the program's own that asks, and is passed over.
static int is_directory(const char *name) {
  struct stat st;
  if (stat(name, &st) < 0) return 0;
  return S_ISDIR(st.st_mode);
}

static int is_there(const char *name) {
  struct stat st;
  return stat(name, &st) == 0;
}

int own_question_ok(const char *name) {
  char *p = NULL;
  if (is_directory(name)) p = malloc(10);
  if (is_directory(name)) free(p);
  return 0;
}

int own_questions_ok(const char *name) {
  char *p = NULL;
  if (is_there(name)) return -1;
  p = malloc(10);
  if (is_directory(name)) return -1;
  free(p);
  return 0;
}

int own_questions_bad(const char *name) {
  char *p = NULL;
  if (!is_there(name)) return -1;
  p = malloc(10);  // LEAK: conditional-leak
  if (is_directory(name)) return -1;
  free(p);
  return 0;
}

// Different questions about one file.
int readable_ok(const char *name) {
  struct stat st;
  char *p = NULL;
  if (access(name, R_OK) == 0) p = malloc(10);
  if (stat(name, &st) == 0) free(p);
  return 0;
}

int opened_ok(const char *name) {
  char *p = NULL;
  if (access(name, F_OK) != 0) p = malloc(10);
  int fd = open(name, O_RDONLY);
  if (fd < 0) {
    free(p);
    return -1;
  }
  close(fd);
  return 0;
}

int created_bad(const char *name) {
  char *p = NULL;
  if (access(name, F_OK) != 0) p = malloc(10);  // LEAK: conditional-leak
  int fd = open(name, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) {
    free(p);
    return -1;
  }
  close(fd);
  return 0;
}

int stream_ok(const char *name) {
  struct stat st;
  char *p = NULL;
  if (stat(name, &st) != 0) p = malloc(10);
  FILE *f = fopen(name, "r");
  if (!f) {
    free(p);
    return -1;
  }
  fclose(f);
  return 0;
}

int new_stream_bad(const char *name) {
  struct stat st;
  char *p = NULL;
  if (stat(name, &st) != 0) p = malloc(10);  // LEAK: conditional-leak
  FILE *f = fopen(name, "w");
  if (!f) {
    free(p);
    return -1;
  }
  fclose(f);
  return 0;
}

int unreadable_bad(const char *name) {
  struct stat st;
  char *p = malloc(10);  // LEAK: conditional-leak
  if (stat(name, &st) != 0) {
    free(p);
    return -1;
  }
  FILE *f = fopen(name, "r");
  if (!f) return -1;
  fclose(f);
  free(p);
  return 0;
}

// The environment, the process.
int variable_ok(void) {
  char *p = NULL;
  if (getenv("HOME")) p = malloc(10);
  if (getenv("HOME")) free(p);
  return 0;
}

int variable_set_bad(void) {
  char *p = NULL;
  if (!getenv("HOME")) p = malloc(10);  // LEAK: conditional-leak
  setenv("HOME", "/", 1);
  if (!getenv("HOME")) free(p);
  return 0;
}

int terminal_ok(void) {
  char *p = NULL;
  if (isatty(1)) p = malloc(10);
  if (isatty(1)) free(p);
  return 0;
}

// Numbers and places in one text.
int number_ok(const char *text) {
  char *p = NULL;
  if (strtol(text, NULL, 10) == 4) p = malloc(10);
  if (strtol(text, NULL, 10) == 5) return -1;
  free(p);
  return 0;
}

int last_is_somewhere_ok(const char *path) {
  char *p = NULL;
  if (strchr(path, '/')) p = malloc(10);
  if (!strrchr(path, '/')) return -1;
  free(p);
  return 0;
}

int another_character_bad(const char *path) {
  char *p = NULL;
  if (strchr(path, '/')) p = malloc(10);  // LEAK: conditional-leak
  if (!strrchr(path, '.')) return -1;
  free(p);
  return 0;
}

int equal_in_any_case_ok(const char *a, const char *b) {
  char *p = NULL;
  if (strcmp(a, b) == 0) p = malloc(10);
  if (strcasecmp(a, b) != 0) return -1;
  free(p);
  return 0;
}

int equal_in_one_case_bad(const char *a, const char *b) {
  char *p = NULL;
  if (strcasecmp(a, b) == 0) p = malloc(10);  // LEAK: conditional-leak
  if (strcmp(a, b) != 0) return -1;
  free(p);
  return 0;
}
