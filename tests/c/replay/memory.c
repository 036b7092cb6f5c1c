// Pointers and what they lead to: casts, copies, blocks, headers in front of blocks, tables of addresses.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  int value;
  char name[5];
};
struct outer {
  char tag;
  struct node inner;
};
struct header {
  size_t size;
  int magic;
};

static const char *const words[] = {"zero", "one", "two"};
static struct node second = {NULL, 2, "two"}, first = {&second, 1, "one"};
static int (*functions[])(const char *, const char *) = {strcmp, NULL};
static char grown[100000];
static int *inside = (int *)(grown + 40);

static void *allocate(size_t size) {
  struct header *made = malloc(sizeof *made + size);
  made->size = size;
  made->magic = 77;
  return made + 1;
}
static size_t release(void *block) {
  struct header *header = (struct header *)block - 1;
  size_t size = header->magic == 77 ? header[0].size : 0;
  free(header);
  return size;
}
static struct node *push(struct node *list, int value) {
  struct node *made = calloc(1, sizeof *made);
  made->next = list;
  made->value = value;
  return made;
}
static struct node *reversed(struct node *list) {
  struct node *result = NULL;
  while (list) {
    struct node *next = list->next;
    list->next = result;
    result = list;
    list = next;
  }
  return result;
}

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 5; i++) list = push(list, i * i);
  list = reversed(list);
  for (struct node **at = &list; *at;) {
    struct node *one = *at;
    if (one->value % 2) {
      *at = one->next;
      free(one);
    } else {
      printf("%d ", one->value);
      at = &one->next;
    }
  }
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  printf("\n%s %s %d %s\n", words[2], first.next->name, first.next == &second, words[0] + 1);

  char *block = allocate(10);
  strcpy(block, "payload");
  struct outer outer = {'x', {NULL, 5, "abc"}};
  struct node *member = &outer.inner;
  struct outer *back = (struct outer *)((char *)member - offsetof(struct outer, inner));
  printf("%c %s ", back->tag, block);
  printf("%zu\n", release(block));

  int *numbers = calloc(4, sizeof *numbers);
  numbers = realloc(numbers, 10 * sizeof *numbers);
  memset(numbers + 4, 0xff, 24);
  memmove(numbers + 1, numbers, 20);
  for (int i = 0; i < 7; i++) printf("%d ", numbers[i]);
  unsigned char *bytes = (unsigned char *)numbers;
  bytes[2] = 1;
  uint16_t half;
  memcpy(&half, bytes + 1, 2);
  printf("%d %d %d\n", numbers[0], half, ((int *)(bytes + 40))[-4]);
  free(numbers);

  struct outer copy = outer, *pointer = &copy;
  pointer->inner.value = -1;
  pointer[0].inner.name[1] = 'X';
  printf("%d %d %s %s\n", outer.inner.value, copy.inner.value, outer.inner.name, copy.inner.name);
  *inside = 0x01020304;
  memcpy(grown + 1000, grown, 2000);
  memset(grown + 1041, 9, 1);
  printf("%d %d %x\n", grown[41], grown[1040], *(int *)(grown + 1040));
  printf("%d %d\n", functions[0]("a", "b") < 0, functions[1] == NULL);
  uintptr_t tagged = (uintptr_t)&outer | 1;
  printf("%d %c\n", (int)(tagged & 1), ((struct outer *)(tagged & ~(uintptr_t)1))->tag);
  char *end = grown + sizeof grown;
  printf("%td %d\n", end - grown, end > grown);
  printf("%s\n", (char[]){"compound"});
  return 0;
}
