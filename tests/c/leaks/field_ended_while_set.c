// Structs that end while a field is set, by a function that never looks at it. NOT RUN: functions that nobody here defines take part.
#include <stdlib.h>
#include <string.h>

// Set by a function that is too long to be executed, or in a way that nobody can make up; released
// before a new one is stored. The function that ends the struct never looks at it.
struct link {
  char *host;
  char *encoding;
};

int resolve(const char *host);

static int link_fill(struct link *link, const char *host, const char *encoding) {
  if (resolve(host) < 0) return -1;
  link->host = strdup(host);
  link->encoding = strdup(encoding);  // LEAK: conditional-leak
  return resolve(link->host);
}

int link_options(struct link *link) {
  if (link->encoding != NULL && strcmp(link->encoding, "auto") == 0) {
    free(link->encoding);
    link->encoding = strdup("utf-8");
  }
  return 0;
}

static void link_drop(struct link *link) {
  free(link->host);
  free(link);
}

struct link *link_start(const char *host, const char *encoding) {
  struct link *link = calloc(1, sizeof *link);
  if (link == NULL) return NULL;
  if (link_fill(link, host, encoding) == 0) link_options(link);
  return link;
}

void link_goodbye(struct link *link);

void link_finish(struct link *link) {
  link_goodbye(link);
  link_drop(link);
}

// The same, and it is released where the struct ends, by its caller.
struct wire {
  char *host;
  char *encoding;
};

static int wire_fill(struct wire *wire, const char *host, const char *encoding) {
  if (resolve(host) < 0) return -1;
  wire->host = strdup(host);
  wire->encoding = strdup(encoding);
  return resolve(wire->host);
}

static void wire_drop(struct wire *wire) {
  free(wire->host);
  free(wire);
}

struct wire *wire_start(const char *host, const char *encoding) {
  struct wire *wire = calloc(1, sizeof *wire);
  if (wire != NULL) wire_fill(wire, host, encoding);
  return wire;
}

void wire_finish(struct wire *wire) {
  free(wire->encoding);
  wire_drop(wire);
}

// Ended by a constructor that gives up, before the field is set: by nobody else.
struct cable {
  char *host;
  char *encoding;
};

static void cable_give_up(struct cable *cable) {
  free(cable->host);
  free(cable);
}

struct cable *cable_start(const char *host, const char *encoding) {
  struct cable *cable = calloc(1, sizeof *cable);
  if (cable == NULL) return NULL;
  cable->host = strdup(host);
  if (resolve(host) < 0) {
    cable_give_up(cable);
    return NULL;
  }
  cable->encoding = strdup(encoding);
  return cable;
}

// The field leads into the block that the struct lies in.
struct packet {
  char *name;
  char *data;
};

struct packet *packet_new(const char *name, const char *data) {
  struct packet *packet = malloc(sizeof *packet + strlen(data) + 1);
  if (packet == NULL) return NULL;
  packet->name = strdup(name);
  packet->data = (char *)packet + sizeof *packet;
  strcpy(packet->data, data);
  return packet;
}

void packet_free(struct packet *packet) {
  free(packet->name);
  free(packet);
}
