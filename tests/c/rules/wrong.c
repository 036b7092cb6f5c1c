// Releases by the wrong function, of the wrong pointer, of what nobody allocated.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stream_bad(int n) {
  FILE *stream = fopen("/dev/null", "r");
  if (!stream) return;
  if (n)
    free(stream);  // RULE: mismatched-release
  else
    fclose(stream);
}

void pipe_bad(int n) {
  FILE *stream = popen("true", "r");
  if (!stream) return;
  fclose(stream);  // RULE: mismatched-release
  (void)n;
}

void pipe_ok(int n) {
  FILE *stream = popen("true", "r");
  if (!stream) return;
  pclose(stream);
  (void)n;
}

void inner_bad(int n) {
  char *text = strdup("  text");
  if (!text) return;
  while (*text == ' ') text++;
  free(text);  // RULE: mismatched-release
  (void)n;
}

void inner_ok(int n) {
  char *text = strdup("  text"), *start = text;
  if (!text) return;
  while (*text == ' ') text++;
  free(start);
  (void)n;
}

void header_ok(int n) {
  char *block = malloc(32 + n);
  if (!block) return;
  char *payload = block + 16;
  payload[0] = 1;
  free(payload - 16);
}

void local_bad(int n) {
  char buffer[16], *text = buffer;
  if (n) text = malloc(16);
  free(text);  // RULE: invalid-free
}

void local_ok(int n) {
  char buffer[16], *text = buffer;
  if (n > 15) text = malloc(n + 1);
  if (text != buffer) free(text);
}

void literal_bad(int n) {
  char *name = "unnamed";
  if (n) name = strdup("named");
  free(name);  // RULE: invalid-free
}

void literal_ok(int n) {
  char *name = NULL;
  if (n) name = strdup("named");
  printf("%s\n", name ? name : "unnamed");
  free(name);
}

static char shared[8];

static void release(char *text) { free(text); }

void global_bad(int n) {
  char *text = n ? shared : malloc(8);
  release(text);  // RULE: invalid-free
}

void global_ok(int n) {
  char *text = n ? shared : malloc(8);
  if (text != shared) release(text);
}
