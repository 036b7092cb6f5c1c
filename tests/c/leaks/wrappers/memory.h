#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *x_malloc(size_t size);
char *x_strdup(const char *s);
void *x_realloc(void *old, size_t size);
void x_free(void *p);
char *x_join(const char *a, const char *b);
void x_free_array(char **items);
char **x_split(const char *s, char separator);

#endif
