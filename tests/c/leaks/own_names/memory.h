#ifndef MEMORY_H
#define MEMORY_H

void *get(unsigned long size);
void put(void *block);

#endif
