#include <stdio.h>
#include "truth.h"

static struct { const char *name; const char *start; size_t size; } objects[4096];
static int count;

void hf_object(const char *name, const void *address, size_t size) {
  if (count < 4096 && address) {
    objects[count].name = name;
    objects[count].start = address;
    objects[count++].size = size;
  }
}

/* The newest registration wins: a freed block may be handed out again. */
void hf_log(int id, const void *pointer) {
  const char *place = pointer;
  for (int i = count - 1; i >= 0; i--)
    if (place >= objects[i].start && place < objects[i].start + objects[i].size) {
      printf("fact %d %s %ld\n", id, objects[i].name, (long)(place - objects[i].start));
      return;
    }
}
