// Leak-fix histories: a field set in the constructor and forgotten by the destructor, in another file.
#include "message.h"

#include <stdlib.h>
#include <string.h>

struct message *message_new(const char *sender, const char *subject) {
  struct message *message = calloc(1, sizeof *message);
  if (!message) return NULL;
  message->sender = strdup(sender);
  message->subject = strdup(subject);  // LEAK: never-freed
  return message;
}

struct letter *letter_new(const char *sender, const char *subject) {
  struct letter *letter = calloc(1, sizeof *letter);
  if (!letter) return NULL;
  letter->sender = strdup(sender);
  letter->subject = strdup(subject);
  return letter;
}
