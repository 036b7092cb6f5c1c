// The C library on known contents.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct entry {
  const char *name;
  int number;
};
static int by_name(const void *a, const void *b) {
  return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}
static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void characters(void) {
  int counts[12] = {0};
  for (int c = -1; c < 256; c++) {
    int classes[] = {isalpha(c), isdigit(c), isspace(c), ispunct(c), isupper(c), islower(c),
                     isxdigit(c), iscntrl(c), isprint(c), isgraph(c), isalnum(c), isblank(c)};
    for (int i = 0; i < 12; i++) counts[i] += classes[i] ? c + 2 : 0;
  }
  for (int i = 0; i < 12; i++) printf("%d ", counts[i]);
  for (const char *at = "Hello, World 42!\t"; *at; at++) putchar(toupper(*at));
  printf("%d %d\n", tolower('Q'), toupper(0xe4));
}

static void texts(void) {
  char buffer[64] = "key=value;a=b;;c", copy[64];
  char *rest;
  for (char *at = strtok_r(buffer, "=;", &rest); at; at = strtok_r(NULL, "=;", &rest)) printf("[%s]", at);
  strcpy(copy, "a,,b");
  rest = copy;
  for (char *at; (at = strsep(&rest, ","));) printf("<%s>", at);
  puts("");
  printf("%d %d %d %d\n", strcmp("abc", "abd") < 0, strncmp("abcd", "abcx", 3), memcmp("a\0b", "a\0c", 3) < 0,
         strcasecmp("HeLLo", "hEllO"));
  printf("%s %s %s %zu %zu\n", strstr("haystack", "st"), strrchr("a/b/c", '/'), strpbrk("hello", "lo"),
         strspn("aabbc", "ab"), strcspn("hello", "l"));
  printf("%d %s %d\n", strchr("abc", 'x') == NULL, strchr("abc", 0) ? "end" : "none",
         (char *)memchr("abc", 'c', 3) != NULL);
  strcpy(copy, "foo");
  strcat(copy, "bar");
  strncat(copy, "bazqux", 3);
  printf("%s %zu\n", copy, strlen(copy));
  strncpy(copy, "xy", 5);
  printf("%d %c %s\n", copy[4], copy[5], stpcpy(copy + 10, "end") - 3);
  char *doubled = strdup(copy), *part = strndup("abcdef", 3);
  doubled[0] = 'D';
  printf("%s %s %s\n", doubled, copy, part);
  free(doubled);
  free(part);
}

static void numbers(void) {
  char *end;
  long number = strtol(" -0x1fz", &end, 0);
  printf("%ld %s|", number, end);
  double real = strtod("1.5e3x", &end);
  printf("%lu %d %d %g %s|", strtoul("777", NULL, 8), atoi("12ab"), atoi("x"), real, end);
  errno = 0;
  number = strtol("99999999999999999999", NULL, 10);
  printf("%ld %d|", number, errno);
  printf("%lu %d\n", strtoul("-1", NULL, 10), abs(-5));
  int day, month, year, end_at;
  char word[8], rest[8];
  unsigned hex;
  float single;
  printf("%d ", sscanf(" 24-12 1999", "%d-%d %d", &day, &month, &year));
  printf("%d %d %d ", day, month, year);
  printf("%d ", sscanf("ff:key=value 1.5x", "%x:%3[a-z]=%*3s%7s %f%n", &hex, word, rest, &single, &end_at));
  printf("%x %s %s %g %d ", hex, word, rest, single, end_at);
  printf("%d %d\n", sscanf("", "%d", &day), sscanf("x", "%d", &day));
  div_t halves = div(-7, 2);
  ldiv_t longer = ldiv(100L, 7);
  printf("%d %d %ld %ld\n", halves.quot, halves.rem, longer.quot, longer.rem);
}

static void formats(void) {
  char buffer[8], *made;
  printf("%5.1f|%-8s|%08.3f|%+d|%#x|%#o|% d|%.3s|%*d|%-*d|\n", 3.14159, "left", 2.5, 7, 255, 8, 3, "abcdef", 6,
         12, 6, 12);
  printf("%e %G %a %p %.0f %.0e %g %g %g %g\n", 12345.678, 1e-10, 1.0, (void *)0, 2.5, 12345.0, 1e5, 1e6, 1e-4,
         1e-5);
  printf("%hhd %hd %zu %jd %5c|%-5d|%05d|%x|%%\n", (char)300, (short)70000, (size_t)-1, (intmax_t)-5, 'c', 42,
         -42, -1);
  printf("%" PRIu64 " %" PRIx32 " %.10d %+.2e %s\n", (uint64_t)1 << 63, (uint32_t)0xabc, 123, -0.000123, "");
  int written = snprintf(buffer, sizeof buffer, "%s-%d", "truncated", 7);
  printf("%d %s\n", written, buffer);
  written = asprintf(&made, "%c%03d%s", 'x', 7, "tail");
  printf("%d %s\n", written, made);
  free(made);
  fputs("fputs ", stdout);
  fputc('c', stdout);
  fwrite("\nwritten\n", 1, 9, stdout);
  fprintf(stdout, "%s\n", "stream");
  fprintf(stderr, "not seen\n");
}

int main(void) {
  characters();
  texts();
  numbers();
  formats();
  struct entry entries[] = {{"pear", 1}, {"apple", 2}, {"fig", 3}, {"apple", 4}};
  qsort(entries, 4, sizeof *entries, by_name);
  for (int i = 0; i < 4; i++) printf("%s %d, ", entries[i].name, entries[i].number);
  int sorted[] = {9, 3, 7, 1, 5, 8};
  qsort(sorted, 6, sizeof *sorted, by_value);
  int wanted = 7, missing = 4;
  int *found = bsearch(&wanted, sorted, 6, sizeof *sorted, by_value);
  printf("%td %d\n", found - sorted, bsearch(&missing, sorted, 6, sizeof *sorted, by_value) == NULL);
  return 0;
}
