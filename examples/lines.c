/* Joins continued lines ("\" at the end). A clean program: every path frees what it took. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *append(char *text, const char *more) {
    size_t length = text != NULL ? strlen(text) : 0;
    char *longer = realloc(text, length + strlen(more) + 1);
    if (longer == NULL) {
        free(text);
        return NULL;
    }
    strcpy(longer + length, more);
    return longer;
}

int main(void) {
    char part[128];
    char *line = NULL;
    while (fgets(part, sizeof part, stdin) != NULL) {
        size_t length = strcspn(part, "\n");
        part[length] = '\0';
        int continued = length > 0 && part[length - 1] == '\\';
        if (continued)
            part[length - 1] = '\0';
        line = append(line, part);
        if (line == NULL)
            return 1;
        if (!continued) {
            puts(line);
            free(line);
            line = NULL;
        }
    }
    free(line);
    return 0;
}
