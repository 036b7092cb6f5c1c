#include "store.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    struct store *store = store_new();
    if (store == NULL)
        return 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (store_add(store, argv[i], atoi(argv[i + 1])) != 0)
            fprintf(stderr, "cannot add %s\n", argv[i]);
    }
    if (print_report(store, 1) < 0) /* Leak: this way out does not free the store. */
        return 1;
    store_free(store);
    return 0;
}
