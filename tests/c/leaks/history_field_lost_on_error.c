// Leak-fix histories: a field is lost when its owner is freed on an error path.
#include <stdlib.h>
#include <string.h>

struct session {
  char *host;
  char *user;
  int port;
};

static void session_free(struct session *session) {
  if (!session) return;
  free(session->host);
  free(session->user);
  free(session);
}

struct session *session_new_bad(const char *host, int port) {
  struct session *session = calloc(1, sizeof *session);
  if (!session) return NULL;
  session->host = strdup(host);  // LEAK: conditional-leak
  if (!session->host) {
    free(session);
    return NULL;
  }
  if (port < 0) {
    free(session);
    return NULL;
  }
  session->port = port;
  return session;
}

struct session *session_new_ok(const char *host, int port) {
  struct session *session = calloc(1, sizeof *session);
  if (!session) return NULL;
  session->host = strdup(host);
  if (!session->host || port < 0) {
    session_free(session);
    return NULL;
  }
  session->port = port;
  return session;
}

// The second field's allocation fails: the first field is lost, although the owner is freed.
int session_two_fields_bad(const char *host, const char *user) {
  struct session *session = calloc(1, sizeof *session);
  if (!session) return -1;
  session->host = strdup(host);  // LEAK: leak-if-allocation-fails
  session->user = strdup(user);  // LEAK: leak-if-allocation-fails
  if (!session->host || !session->user) {
    free(session);
    return -1;
  }
  session_free(session);
  return 0;
}

int session_two_fields_ok(const char *host, const char *user) {
  struct session *session = calloc(1, sizeof *session);
  if (!session) return -1;
  session->host = strdup(host);
  session->user = strdup(user);
  if (!session->host || !session->user) {
    session_free(session);
    return -1;
  }
  session_free(session);
  return 0;
}

// The owner is on the stack: returning is what loses the field.
int local_owner_bad(const char *host, int port) {
  struct session session = {0};
  session.host = strdup(host);  // LEAK: conditional-leak
  if (!session.host) return -1;
  if (port > 1) return -2;
  free(session.host);
  return 0;
}

int local_owner_ok(const char *host, int port) {
  struct session session = {0};
  int result = 0;
  session.host = strdup(host);
  if (!session.host) return -1;
  if (port > 1) result = -2;
  free(session.host);
  return result;
}

// Two levels down.
struct request {
  struct session *session;
  char *body;
};

int request_run_bad(const char *s, int fail) {
  struct request *request = calloc(1, sizeof *request);
  if (!request) return -1;
  request->session = calloc(1, sizeof *request->session);
  if (!request->session) {
    free(request);
    return -1;
  }
  request->session->host = strdup(s);  // LEAK: conditional-leak
  if (fail > 0) {
    free(request->session);
    free(request);
    return -1;
  }
  session_free(request->session);
  free(request);
  return 0;
}

int request_run_ok(const char *s, int fail) {
  struct request *request = calloc(1, sizeof *request);
  int result = 0;
  if (!request) return -1;
  request->session = calloc(1, sizeof *request->session);
  if (!request->session) {
    free(request);
    return -1;
  }
  request->session->host = strdup(s);
  if (fail > 0) result = -1;
  session_free(request->session);
  free(request);
  return result;
}
