#ifndef STORE_H
#define STORE_H

struct item {
    char *name;
    int amount;
    struct item *next;
};

struct store {
    struct item *items;
    int count;
};

struct store *store_new(void);
int store_add(struct store *store, const char *name, int amount);
struct item *store_find(const struct store *store, const char *name);
void store_free(struct store *store);

/* The caller frees the text. */
char *item_label(const struct item *item);
int print_report(const struct store *store, int limit);

#endif
