/* Released and used in different functions. Each is run with 0, 1 and 2 under AddressSanitizer. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int count;
  int number;
  char *name;
};

static volatile int sink;

/* Two names of one pointer that lies in memory, because a callee filled it in. */
static int fill(char **text, int n) {
  *text = malloc(8);
  if (!*text) return -1;
  memset(*text, 0, 8);
  (*text)[0] = (char)n;
  return 0;
}
void other_name_bad(int n) {
  char *message, *line;
  if (fill(&message, n)) return;
  line = n ? message : strdup("line");
  free(message);
  if (line) sink = line[0]; // RULE: use-after-free
  if (!n) free(line);
}
void other_name_ok(int n) {
  char *message, *line;
  if (fill(&message, n)) return;
  line = n ? message : strdup("line");
  if (line != message) free(message);
  if (line) sink = line[0];
  free(line);
}

/* Counters of references: whoever made the object knows how many there are. */
static struct item *new_item(int n) {
  struct item *item = calloc(1, sizeof *item);
  if (!item) return NULL;
  item->count = 1;
  item->number = n;
  return item;
}
static struct item *hold(struct item *item) {
  if (item) item->count++;
  return item;
}
static void drop(struct item *item) {
  if (--item->count > 0) return;
  free(item);
}
static int close_item(struct item *item) {
  struct item *mine = hold(item);
  int number = mine->number;
  drop(mine);
  drop(item);
  return number;
}
void last_reference_bad(int n) {
  struct item *item = new_item(n);
  if (!item) return;
  close_item(item);
  sink = item->number; // RULE: use-after-free
}
void other_reference_ok(int n) {
  struct item *item = new_item(n);
  if (!item) return;
  hold(item);
  close_item(item);
  sink = item->number;
  drop(item);
}

/* Functions that call each other. */
static void end_item(struct item *item, int n);
static void check_item(struct item *item, int n) {
  if (n > 1) end_item(item, 0);
}
static void end_item(struct item *item, int n) {
  if (n > 0) check_item(item, n - 1);
  free(item->name);
  free(item);
}
static void flush(struct item *item) { sink = item->number; }
void cycle_bad(int n) {
  struct item *item = new_item(n);
  if (!item) return;
  check_item(item, n);
  if (n > 1) {
    flush(item); // RULE: use-after-free
    return;
  }
  free(item);
}
void cycle_ok(int n) {
  struct item *item = new_item(n);
  if (!item) return;
  flush(item);
  end_item(item, n > 0);
}

/* A list of words in one block: the first word is the block. */
static int split(char ***words) {
  char **made = calloc(2, sizeof *made);
  if (!made) return -1;
  made[0] = strdup("first");
  *words = made;
  return 0;
}
static void free_words(char **words) {
  if (!words) return;
  free(words[0]);
  free(words);
}
void first_word_bad(int n) {
  char **words = NULL, *first;
  if (split(&words)) return;
  first = words[0];
  if (n) first = NULL;
  free(first);
  free_words(words); // RULE: double-free
}
void first_word_ok(int n) {
  char **words = NULL;
  if (split(&words)) return;
  if (n) sink = words[0] != NULL;
  free_words(words);
}

/* Freed by the callee where it fails, behind a loop that counts. */
static int header(const char *bytes, int n, char **index) {
  for (int i = 0; i < 6; i++)
    if (bytes[i] != "header"[i]) return 0;
  *index = calloc(1, 16);
  if (!*index) return 0;
  if (n) {
    free(*index);
    return 0;
  }
  return 1;
}
void failed_callee_bad(int n) {
  char *index = NULL;
  if (!header("header", n, &index)) {
    free(index); // RULE: double-free
    return;
  }
  free(index);
}
void failed_callee_ok(int n) {
  char *index = NULL;
  if (!header("header", n, &index)) return;
  free(index);
}

/* A library function that sets a pointer to one of two things. */
void found_user_bad(int n) {
  char text[1024];
  struct passwd *found = NULL, *entry = malloc(sizeof *entry);
  if (!entry) return;
  if (getpwnam_r("root", entry, text, sizeof text, &found) == 0 && found == entry) free(entry);
  if (n || found == entry) free(entry); // RULE: double-free
}
void found_user_ok(int n) {
  char text[1024];
  struct passwd *found = NULL, *entry = malloc(sizeof *entry);
  if (!entry) return;
  if (getpwnam_r("root", entry, text, sizeof text, &found) == 0 && found == entry) sink = n;
  free(entry);
}

/* A callee releases its argument and returns a number that is never 0 then, by what a field keeps over the
   whole program; it returns 0 where it did not release. */
struct device {
  unsigned short next; // from 256 on
  int fd;
};
static unsigned short send_request(struct device *device, char *request) {
  if (!device || device->fd < 0) return 0;
  free(request);
  unsigned short number = device->next++;
  if (device->next < 256) device->next = 256;
  return number;
}
int request_ok(struct device *device, int n) {
  char *request = malloc(8);
  if (!request) return -1;
  request[0] = (char)n;
  if (send_request(device, request) > 0) return 0;
  request[0] = 0;
  free(request);
  return -1;
}
static int send_message(struct device *device, char *message) {
  free(message);
  return device && device->fd >= 0 ? 1 : 0;
}
int message_bad(struct device *device, int n) {
  char *message = malloc(8);
  if (!message) return -1;
  message[0] = (char)n;
  if (send_message(device, message) > 0) return 0;
  free(message); // MISS: double-free the only decisions rest on what lies behind another argument
  return -1;
}

/* Variables that a callee empties at the end: two of them have the same block. */
static void clean(char **variable) {
  free(*variable);
  *variable = NULL;
}
void two_cleaned_bad(int n) {
  char *first = malloc(8), *second = NULL;
  if (n) second = first;
  clean(&second);
  clean(&first); // RULE: double-free
}
void two_cleaned_ok(int n) {
  char *first = malloc(8), *second = NULL;
  if (n) {
    second = first;
    first = NULL;
  }
  clean(&second);
  clean(&first);
}

/* The same with a field, read before. */
struct text {
  char *bytes;
};
static void reset(struct text *text) {
  free(text->bytes);
  text->bytes = NULL;
}
static struct text *new_text(void) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return NULL;
  text->bytes = calloc(8, 1);
  return text;
}
void read_before_bad(int n) {
  struct text *text = new_text();
  char *bytes;
  if (!text) return;
  bytes = text->bytes;
  if (n) reset(text);
  if (bytes) sink = bytes[0]; // RULE: use-after-free
  reset(text);
  free(text);
}
void read_before_ok(int n) {
  struct text *text = new_text();
  char *bytes;
  if (!text) return;
  bytes = text->bytes;
  if (bytes) sink = bytes[0];
  if (n) reset(text);
  bytes = text->bytes;
  if (bytes) sink = bytes[0];
  reset(text);
  free(text);
}

/* Read on one of two ways that meet before it is released. */
struct space {
  char *name;
};
void name_of_one_bad(int n) {
  struct space *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second), *space;
  char *old = NULL;
  if (!first || !second) return;
  first->name = calloc(8, 1);
  second->name = calloc(8, 1);
  if (n) {
    space = first;
  } else {
    space = second;
    old = space->name;
  }
  free(space->name);
  space->name = NULL;
  if (old) sink = old[0]; // RULE: use-after-free
  free(first->name);
  free(second->name);
  free(first);
  free(second);
}
void name_of_one_ok(int n) {
  struct space *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second), *space;
  char *old = NULL;
  if (!first || !second) return;
  first->name = calloc(8, 1);
  second->name = calloc(8, 1);
  if (n) {
    space = first;
    old = second->name;
  } else {
    space = second;
  }
  free(space->name);
  space->name = NULL;
  if (old) sink = old[0];
  free(first->name);
  free(second->name);
  free(first);
  free(second);
}
