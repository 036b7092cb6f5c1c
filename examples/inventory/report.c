#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *item_label(const struct item *item) {
    size_t size = strlen(item->name) + 16;
    char *label = malloc(size);
    if (label != NULL)
        snprintf(label, size, "%s (%d)", item->name, item->amount);
    return label;
}

/* Leak: the label of an item below the limit is skipped over. */
int print_report(const struct store *store, int limit) {
    int printed = 0;
    for (const struct item *item = store->items; item != NULL; item = item->next) {
        char *label = item_label(item);
        if (label == NULL)
            return -1;
        if (item->amount < limit)
            continue;
        puts(label);
        printed++;
        free(label);
    }
    return printed;
}
