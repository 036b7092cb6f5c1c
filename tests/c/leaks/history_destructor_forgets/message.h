#ifndef MESSAGE_H
#define MESSAGE_H

struct message {
  char *sender;
  char *subject;
  char *body;
};

struct message *message_new(const char *sender, const char *subject);
void message_destroy(struct message *message);

struct letter {
  char *sender;
  char *subject;
};

struct letter *letter_new(const char *sender, const char *subject);
void letter_destroy(struct letter *letter);

#endif
