// SMOKE Fig. 9: allocated in one file, lost in another. This is the file that allocates.
#include "ftp.h"

#include <stdlib.h>
#include <string.h>

static char working_directory[64] = "/srv";

char *mapped_path(const char *path) {
  char *result = malloc(strlen(working_directory) + strlen(path) + 2);
  char *copy;
  if (!result) return NULL;
  copy = strdup(path);
  if (!copy) {
    free(result);
    return NULL;
  }
  strcpy(result, working_directory);
  strcat(result, "/");
  strcat(result, copy);
  free(copy);
  return result;
}
