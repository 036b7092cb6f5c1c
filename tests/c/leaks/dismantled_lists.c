// Functions that release what the nodes of a list hold and take the nodes out. NOT RUN: tests/ownership/test_clients.py runs what these rest on.
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

// A head pointer, and nodes up to NULL.
struct page {
  char *text;
  struct page *next;
};
struct book {
  int count;
  struct page *first;
};

int book_add(struct book *book, const char *text) {
  struct page *page = malloc(sizeof *page);  // LEAK: overwritten
  if (page == NULL) return -1;
  page->text = strdup(text);
  page->next = book->first;
  book->first = page;
  book->count++;
  return 0;
}

void book_clear(struct book *book) {
  struct page *page, *next;
  for (page = book->first; page != NULL; page = next) {
    next = page->next;
    free(page->text);
  }
  book->first = NULL;
  book->count = 0;
}

// The same, and the nodes are released.
struct leaf {
  char *text;
  struct leaf *next;
};
struct pad {
  struct leaf *first;
};

int pad_add(struct pad *pad, const char *text) {
  struct leaf *leaf = malloc(sizeof *leaf);
  if (leaf == NULL) return -1;
  leaf->text = strdup(text);
  leaf->next = pad->first;
  pad->first = leaf;
  return 0;
}

void pad_clear(struct pad *pad) {
  struct leaf *leaf, *next;
  for (leaf = pad->first; leaf != NULL; leaf = next) {
    next = leaf->next;
    free(leaf->text);
    free(leaf);
  }
  pad->first = NULL;
}

// The nodes stay where they are.
void pad_blank_ok(struct pad *pad) {
  struct leaf *leaf;
  for (leaf = pad->first; leaf != NULL; leaf = leaf->next) {
    free(leaf->text);
    leaf->text = NULL;
  }
}

// … or go to another list.
static struct leaf *spare;

void pad_recycle_ok(struct pad *pad) {
  struct leaf *leaf, *next;
  for (leaf = pad->first; leaf != NULL; leaf = next) {
    next = leaf->next;
    free(leaf->text);
    leaf->next = spare;
    spare = leaf;
  }
  pad->first = NULL;
}

// … or to the caller.
struct leaf *pad_take_ok(struct pad *pad) {
  struct leaf *leaf = pad->first;
  if (leaf == NULL) return NULL;
  pad->first = leaf->next;
  free(leaf->text);
  leaf->text = NULL;
  return leaf;
}

// One node is taken out, wherever it stands.
struct word {
  char *name;
  struct word *next;
};
struct bag {
  struct word *first;
};

int bag_add(struct bag *bag, const char *name) {
  struct word *word = malloc(sizeof *word);  // LEAK: never-freed
  if (word == NULL) return -1;
  word->name = strdup(name);
  word->next = bag->first;
  bag->first = word;
  return 0;
}

void bag_remove(struct bag *bag, const char *name) {
  struct word **at;
  for (at = &bag->first; *at != NULL; at = &(*at)->next) {
    struct word *word = *at;
    if (strcmp(word->name, name) != 0) continue;
    *at = word->next;
    free(word->name);
    return;
  }
}

struct term {
  char *name;
  struct term *next;
};
struct sack {
  struct term *first;
};

int sack_add(struct sack *sack, const char *name) {
  struct term *term = malloc(sizeof *term);
  if (term == NULL) return -1;
  term->name = strdup(name);
  term->next = sack->first;
  sack->first = term;
  return 0;
}

void sack_remove(struct sack *sack, const char *name) {
  struct term **at;
  for (at = &sack->first; *at != NULL; at = &(*at)->next) {
    struct term *term = *at;
    if (strcmp(term->name, name) != 0) continue;
    *at = term->next;
    free(term->name);
    free(term);
    return;
  }
}

// A ring: the head is a node itself, and the last node leads back to it.
struct ring {
  void *elem;
  struct ring *next, *prev;
};
struct limit {
  char *name;
};
struct conf {
  int used;
  struct ring limits;
};

static void ring_add(struct ring *head, struct ring *node) {
  node->next = head;
  node->prev = head->prev;
  head->prev->next = node;
  head->prev = node;
}

static void ring_remove(struct ring *node) {
  node->next->prev = node->prev;
  node->prev->next = node->next;
}

int conf_add(struct conf *conf, const char *name) {
  struct ring *node = malloc(sizeof *node);  // LEAK: overwritten
  struct limit *limit;
  if (node == NULL) return -1;
  if ((limit = malloc(sizeof *limit)) == NULL) {
    free(node);
    return -1;
  }
  if ((limit->name = strdup(name)) == NULL) {
    free(limit);
    free(node);
    return -1;
  }
  node->elem = limit;
  ring_add(&conf->limits, node);
  return 0;
}

void conf_clear(struct conf *conf) {
  struct ring *node, *next;
  for (node = conf->limits.next; node != &conf->limits; node = next) {
    struct limit *limit = node->elem;
    next = node->next;
    ring_remove(node);
    free(limit->name);
    free(limit);
  }
}

// The same with all released.
struct chain {
  void *elem;
  struct chain *next, *prev;
};
struct rules {
  struct chain all;
};

int rules_add(struct rules *rules, const char *name) {
  struct chain *node = malloc(sizeof *node);
  if (node == NULL) return -1;
  node->elem = strdup(name);
  node->next = &rules->all;
  node->prev = rules->all.prev;
  rules->all.prev->next = node;
  rules->all.prev = node;
  return 0;
}

void rules_clear(struct rules *rules) {
  struct chain *node, *next;
  for (node = rules->all.next; node != &rules->all; node = next) {
    next = node->next;
    node->next->prev = node->prev;
    node->prev->next = node->next;
    free(node->elem);
    free(node);
  }
}

// First and last.
struct event {
  struct event *next, *prev;
  char *what;
};
struct queue {
  struct event *first, *last;
  int count;
};

int queue_push(struct queue *queue, const char *what) {
  struct event *event = calloc(1, sizeof *event);  // LEAK: never-freed
  if (event == NULL) return -1;
  event->what = strdup(what);
  event->prev = queue->last;
  if (queue->last != NULL)
    queue->last->next = event;
  else
    queue->first = event;
  queue->last = event;
  queue->count++;
  return 0;
}

void queue_shift(struct queue *queue) {
  struct event *event = queue->first;
  if (event == NULL) return;
  queue->first = event->next;
  if (queue->first != NULL)
    queue->first->prev = NULL;
  else
    queue->last = NULL;
  free(event->what);
  queue->count--;
}

// The macros of <sys/queue.h>.
struct client {
  TAILQ_ENTRY(client) link;
  char *host;
};
struct server {
  int port;
  TAILQ_HEAD(clients, client) clients;
};

int server_add(struct server *server, const char *host) {
  struct client *client = calloc(1, sizeof *client);  // LEAK: overwritten
  if (client == NULL) return -1;
  client->host = strdup(host);
  TAILQ_INSERT_TAIL(&server->clients, client, link);
  return 0;
}

void server_clear(struct server *server) {
  struct client *client;
  while ((client = TAILQ_FIRST(&server->clients)) != NULL) {
    TAILQ_REMOVE(&server->clients, client, link);
    free(client->host);
  }
}

struct guest {
  TAILQ_ENTRY(guest) link;
  char *host;
};
struct hotel {
  TAILQ_HEAD(guests, guest) guests;
};

int hotel_add(struct hotel *hotel, const char *host) {
  struct guest *guest = calloc(1, sizeof *guest);
  if (guest == NULL) return -1;
  guest->host = strdup(host);
  TAILQ_INSERT_TAIL(&hotel->guests, guest, link);
  return 0;
}

void hotel_clear(struct hotel *hotel) {
  struct guest *guest;
  while ((guest = TAILQ_FIRST(&hotel->guests)) != NULL) {
    TAILQ_REMOVE(&hotel->guests, guest, link);
    free(guest->host);
    free(guest);
  }
}

// A list in a global variable.
struct alias {
  struct alias *next;
  char *name;
};
static struct alias *aliases;

int alias_add(const char *name) {
  struct alias *alias = malloc(sizeof *alias);  // LEAK: overwritten
  if (alias == NULL) return -1;
  alias->name = strdup(name);
  alias->next = aliases;
  aliases = alias;
  return 0;
}

void aliases_clear(void) {
  struct alias *alias = aliases;
  while (alias != NULL) {
    struct alias *next = alias->next;
    free(alias->name);
    alias = next;
  }
  aliases = NULL;
}

// A node that lies in a table, too, is there when its list is gone.
struct entry {
  char *value;
  struct entry *next;
};
struct cache {
  struct entry *table[16];
  struct entry *recent;
};

int cache_put(struct cache *cache, unsigned hash, const char *value) {
  struct entry *entry = calloc(1, sizeof *entry);
  if (entry == NULL) return -1;
  entry->value = strdup(value);
  cache->table[hash % 16] = entry;
  entry->next = cache->recent;
  cache->recent = entry;
  return 0;
}

void cache_forget_values_ok(struct cache *cache) {
  struct entry *entry, *next;
  for (entry = cache->recent; entry != NULL; entry = next) {
    next = entry->next;
    free(entry->value);
    entry->value = NULL;
    entry->next = NULL;
  }
  cache->recent = NULL;
}

// Several lists in one struct, emptied by one loop.
struct reply {
  struct reply *next;
  char *name;
};
struct request {
  int count;
  struct reply *answers, *further;
};

int request_add(struct request *request, int is_further, const char *name) {
  struct reply **at = is_further ? &request->further : &request->answers;
  while (*at != NULL) at = &(*at)->next;
  struct reply *reply = malloc(sizeof *reply);  // LEAK: overwritten
  if (reply == NULL) return -1;
  reply->next = NULL;
  reply->name = strdup(name);
  *at = reply;
  request->count++;
  return 0;
}

void request_empty(struct request *request) {
  for (int i = 0; i < 2; i++) {
    struct reply **list = i ? &request->further : &request->answers;
    struct reply *reply = *list;
    while (reply != NULL) {
      struct reply *next = reply->next;
      free(reply->name);
      reply = next;
    }
    *list = NULL;
  }
}
