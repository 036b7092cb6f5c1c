#include "store.h"

#include <stdlib.h>
#include <string.h>

struct store *store_new(void) { return calloc(1, sizeof(struct store)); }

struct item *store_find(const struct store *store, const char *name) {
    for (struct item *item = store->items; item != NULL; item = item->next)
        if (strcmp(item->name, name) == 0)
            return item;
    return NULL;
}

/* Leak: an item whose amount is wrong is dropped, its name is not freed. */
int store_add(struct store *store, const char *name, int amount) {
    struct item *known = store_find(store, name);
    if (known != NULL) {
        known->amount += amount;
        return 0;
    }
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        return -1;
    item->name = strdup(name);
    if (item->name == NULL || amount < 0) {
        free(item);
        return -1;
    }
    item->amount = amount;
    item->next = store->items;
    store->items = item;
    store->count++;
    return 0;
}

void store_free(struct store *store) {
    while (store->items != NULL) {
        struct item *item = store->items;
        store->items = item->next;
        free(item->name);
        free(item);
    }
    free(store);
}
