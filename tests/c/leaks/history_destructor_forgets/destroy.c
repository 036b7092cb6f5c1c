#include "message.h"

#include <stdlib.h>

// `subject` was added to the constructor only.
void message_destroy(struct message *message) {
  if (!message) return;
  free(message->sender);
  free(message->body);
  free(message);
}

void letter_destroy(struct letter *letter) {
  if (!letter) return;
  free(letter->sender);
  free(letter->subject);
  free(letter);
}
