#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include <stddef.h>

void *own_malloc(size_t size, const char *file, int line);
void *own_realloc(void *old, size_t size, const char *file, int line);
void own_free(void *block, const char *file, int line);
int own_blocks(void);

#define NEW(size) own_malloc(size, __FILE__, __LINE__)
#define RESIZED(old, size) own_realloc(old, size, __FILE__, __LINE__)
#define DELETE(block) own_free(block, __FILE__, __LINE__)

#endif
