// SMOKE Fig. 9, the commands: RNFR remembers a name, RNTO uses it.
#include "ftp.h"

#include <stdio.h>
#include <stdlib.h>

char *rename_from;

void command_rnfr_ok(const char *name) {
  free(rename_from);
  rename_from = mapped_path(name);
}

void command_rnto_bad(const char *name, int known) {
  if (known > 0) command_rnfr_ok("old");
  char *mapped = mapped_path(name);  // LEAK: conditional-leak
  if (!mapped || !rename_from) {
    puts("451 Error: Unable to rename file.");
    return;
  }
  rename(rename_from, mapped);
  free(rename_from);
  free(mapped);
  rename_from = NULL;
}

void command_rnto_ok(const char *name, int known) {
  if (known > 0) command_rnfr_ok("old");
  char *mapped = mapped_path(name);
  if (mapped && rename_from) {
    rename(rename_from, mapped);
    free(rename_from);
    rename_from = NULL;
  } else {
    puts("451 Error: Unable to rename file.");
  }
  free(mapped);
}
