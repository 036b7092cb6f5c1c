// An allocator of the program's own: malloc and its relatives, and wrappers, on the same functions.
// The leak checker that runs this file has an allocator, too; there only the wrappers remain.
#include "allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int blocks;  // set by functions that are taken by their models

#ifdef __SANITIZE_ADDRESS__

#define get_block(size, file, line) malloc(size)
#define resize_block(old, size, file, line) realloc(old, size)
#define put_block(block, file, line) free(block)

#else

enum { SPACE = 1 << 20, UNIT = 16 };

struct head {
  struct head *next;
  size_t size;
};

static _Alignas(16) char space[SPACE];
static size_t used;
static struct head *unused;

static void complain(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: %s\n", file ? file : "?", line, what);
}

static void *get_block(size_t size, const char *file, int line) {
  blocks++;
  for (struct head **at = &unused; *at; at = &(*at)->next) {
    struct head *head = *at;
    if (head->size < size) continue;
    *at = head->next;
    return head + 1;
  }
  size = (size + UNIT - 1) / UNIT * UNIT;
  if (size > SPACE || used + sizeof(struct head) + size > SPACE) {
    complain("no space left", file, line);
    return NULL;
  }
  struct head *head = (struct head *)(space + used);
  used += sizeof(struct head) + size;
  head->size = size;
  return head + 1;
}

static void put_block(void *block, const char *file, int line) {
  if ((char *)block < space || (char *)block >= space + SPACE) {
    complain("not a block", file, line);
    abort();
  }
  struct head *head = (struct head *)block - 1;
  head->next = unused;
  unused = head;
}

static void *resize_block(void *old, size_t size, const char *file, int line) {
  struct head *head = (struct head *)old - 1;
  if (old && head->size >= size) return old;
  void *block = get_block(size, file, line);
  if (!block || !old) return block;
  memcpy(block, old, head->size);
  put_block(old, file, line);
  return block;
}

void *malloc(size_t size) { return get_block(size, NULL, 0); }

void *calloc(size_t count, size_t size) {
  if (size && count > SPACE / size) return NULL;
  void *block = get_block(count * size, NULL, 0);
  if (block) memset(block, 0, count * size);
  return block;
}

void *realloc(void *old, size_t size) { return resize_block(old, size, NULL, 0); }

void free(void *block) {
  if (block == NULL) return;
  put_block(block, NULL, 0);
}

#endif

void *own_malloc(size_t size, const char *file, int line) { return get_block(size, file, line); }

void *own_realloc(void *old, size_t size, const char *file, int line) {
  return resize_block(old, size, file, line);
}

void own_free(void *block, const char *file, int line) {
  if (block) put_block(block, file, line);
}

int own_blocks(void) { return blocks; }
