/* What earlier turns of a loop made is lost where an allocation of a later turn fails. The conditions
 * of value flow propose other ways for these blocks: the failure is followed all the same. */
#include <stdlib.h>
#include <string.h>

char **words_bad(const char *s) {
  char **v = calloc(1, sizeof *v);
  int n = 0;
  if (!v) return NULL;
  while (*s) {
    const char *end = s;
    while (*end && *end != ' ') end++;
    char **more = realloc(v, (n + 2) * sizeof *v);
    if (!more) {
      for (int i = 0; i < n; i++) free(v[i]);
      free(v);
      return NULL;
    }
    v = more;
    v[n + 1] = NULL;
    v[n] = malloc(end - s + 1); // LEAK: leak-if-allocation-fails
    if (!v[n]) {
      free(v);
      return NULL;
    }
    memcpy(v[n], s, end - s);
    v[n][end - s] = 0;
    n++;
    s = *end ? end + 1 : end;
  }
  return v;
}

char **words_ok(const char *s) {
  char **v = calloc(1, sizeof *v);
  int n = 0;
  if (!v) return NULL;
  while (*s) {
    const char *end = s;
    while (*end && *end != ' ') end++;
    char **more = realloc(v, (n + 2) * sizeof *v);
    if (!more) {
      for (int i = 0; i < n; i++) free(v[i]);
      free(v);
      return NULL;
    }
    v = more;
    v[n + 1] = NULL;
    v[n] = malloc(end - s + 1);
    if (!v[n]) {
      while (n-- > 0) free(v[n]);
      free(v);
      return NULL;
    }
    memcpy(v[n], s, end - s);
    v[n][end - s] = 0;
    n++;
    s = *end ? end + 1 : end;
  }
  return v;
}
