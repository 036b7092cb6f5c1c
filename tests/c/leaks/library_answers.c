// What functions of the C library answer about files and names. NOT RUN: needs files and names.
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A function that returns its argument may return NULL instead.
int no_line_bad(FILE *in) {
  char *line = malloc(80);  // LEAK: conditional-leak
  if (!line) return -1;
  if (!fgets(line, 80, in)) return -1;
  free(line);
  return 0;
}

int no_line_ok(FILE *in) {
  char *line = malloc(80);
  if (!line) return -1;
  if (fgets(line, 80, in) == NULL) {
    free(line);
    return -1;
  }
  free(line);
  return 0;
}

// Addresses are those of the Internet.
int address_of_ok(const char *name, struct sockaddr_in6 *address) {
  struct addrinfo *found;
  if (getaddrinfo(name, NULL, NULL, &found) != 0) return -1;
  if (found->ai_addrlen > sizeof *address) return -1;
  memcpy(address, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return 0;
}

int address_of_bad(const char *name, struct sockaddr_in *address) {
  struct addrinfo *found;
  if (getaddrinfo(name, NULL, NULL, &found) != 0) return -1;  // LEAK: conditional-leak
  if (found->ai_addrlen > sizeof *address) return -1;
  memcpy(address, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return 0;
}
