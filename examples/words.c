/* Counts words with a hash table. The table is never freed, and growing it loses a pointer. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word *next;
    unsigned count;
    char text[];
};

struct table {
    struct word **slots;
    size_t size;
    size_t used;
};

static size_t hash(const char *text, size_t size) {
    size_t value = 5381;
    for (; *text != '\0'; text++)
        value = value * 33 + (unsigned char)*text;
    return value % size;
}

static struct table *new_table(size_t size) {
    struct table *table = malloc(sizeof *table);
    if (table == NULL)
        return NULL;
    table->slots = calloc(size, sizeof *table->slots);
    if (table->slots == NULL) {
        free(table);
        return NULL;
    }
    table->size = size;
    table->used = 0;
    return table;
}

/* Leak: the old slots are not freed when the new ones take their place. */
static int grow(struct table *table) {
    size_t size = table->size * 2;
    struct word **slots = calloc(size, sizeof *slots);
    if (slots == NULL)
        return -1;
    for (size_t i = 0; i < table->size; i++) {
        struct word *word = table->slots[i];
        while (word != NULL) {
            struct word *next = word->next;
            size_t place = hash(word->text, size);
            word->next = slots[place];
            slots[place] = word;
            word = next;
        }
    }
    table->slots = slots;
    table->size = size;
    return 0;
}

static int count(struct table *table, const char *text) {
    size_t place = hash(text, table->size);
    for (struct word *word = table->slots[place]; word != NULL; word = word->next) {
        if (strcmp(word->text, text) == 0) {
            word->count++;
            return 0;
        }
    }
    struct word *word = malloc(sizeof *word + strlen(text) + 1);
    if (word == NULL)
        return -1;
    strcpy(word->text, text);
    word->count = 1;
    word->next = table->slots[place];
    table->slots[place] = word;
    if (++table->used > table->size)
        return grow(table);
    return 0;
}

int main(void) {
    char text[64];
    size_t length = 0;
    int c;
    struct table *table = new_table(8); /* Leak: nothing frees the table or its words. */
    if (table == NULL)
        return 1;
    while ((c = getchar()) != EOF) {
        if (isalpha(c) && length + 1 < sizeof text) {
            text[length++] = (char)tolower(c);
        } else if (length > 0) {
            text[length] = '\0';
            length = 0;
            if (count(table, text) != 0)
                return 1;
        }
    }
    printf("%zu different words\n", table->used);
    return 0;
}
