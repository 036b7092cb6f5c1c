/* A second program from the same sources. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    struct store *store = store_new();
    if (store == NULL)
        return 1;
    for (int i = 1; i < argc; i++)
        store_add(store, argv[i], 1);
    printf("%d\n", store->count);
    store_free(store);
    return 0;
}
