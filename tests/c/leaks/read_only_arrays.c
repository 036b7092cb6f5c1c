// Static arrays that are passed to functions which only read them keep what they hold.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char family[80] = "/dev/hd%c";

int reads_family_ok(int letter) {
  char *text = malloc(100);
  if (!text) return -1;
  snprintf(text, 100, family, letter);
  if (strlen(family) > 8) free(text);
  return letter;
}

static char changed_family[80] = "/dev/hd%c";

static void change_family(const char *to) {
  strncpy(changed_family, to, sizeof changed_family - 1);
}

int reads_changed_bad(int letter) {
  char *text = malloc(100);  // LEAK: conditional-leak
  if (!text) return -1;
  if (letter == 1) change_family("");
  if (strlen(changed_family) > 8) free(text);
  return letter;
}
