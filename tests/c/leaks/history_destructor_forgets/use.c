#include "message.h"

#include <stdlib.h>
#include <string.h>

int message_send_bad(const char *subject) {
  struct message *message = message_new("me", subject);
  if (!message) return -1;
  message->body = strdup("hello");
  message_destroy(message);
  return 0;
}

int letter_send_ok(const char *subject) {
  struct letter *letter = letter_new("me", subject);
  if (!letter) return -1;
  letter_destroy(letter);
  return 0;
}

// The right destructor is not called at all on one path.
int letter_send_bad(const char *subject, int urgent) {
  struct letter *letter = letter_new("me", subject);  // LEAK: conditional-leak
  if (!letter) return -1;
  if (urgent > 1) return 1;
  letter_destroy(letter);
  return 0;
}
