/* Reads "key = value" lines into a list. One error path forgets what was read so far. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    struct setting *next;
    char *key;
    char *value;
};

static char *copy_trimmed(const char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Leak: when the value is missing, `item` and its key are lost. */
static struct setting *parse_line(const char *line) {
    const char *equals = strchr(line, '=');
    if (equals == NULL)
        return NULL;
    struct setting *item = malloc(sizeof *item);
    if (item == NULL)
        return NULL;
    item->next = NULL;
    item->key = copy_trimmed(line, (size_t)(equals - line));
    if (equals[1] == '\0' || equals[1] == '\n') {
        fprintf(stderr, "no value for %s\n", item->key);
        return NULL;
    }
    item->value = copy_trimmed(equals + 1, strlen(equals + 1));
    return item;
}

static void free_settings(struct setting *list) {
    while (list != NULL) {
        struct setting *next = list->next;
        free(list->key);
        free(list->value);
        free(list);
        list = next;
    }
}

int main(int argc, char **argv) {
    char line[256];
    struct setting *settings = NULL;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (file == NULL)
        return 1;
    while (fgets(line, sizeof line, file) != NULL) {
        struct setting *item = parse_line(line);
        if (item == NULL)
            continue;
        item->next = settings;
        settings = item;
    }
    for (const struct setting *item = settings; item != NULL; item = item->next)
        printf("%s: %s\n", item->key, item->value);
    free_settings(settings);
    if (file != stdin)
        fclose(file);
    return 0;
}
