// A release that may be refused: the handle is there as before, and is asked why.
#include <stdio.h>

typedef struct sqlite3 sqlite3;
int sqlite3_open(const char *, sqlite3 **);
int sqlite3_close(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);

int told_ok(sqlite3 *db) {
  if (sqlite3_close(db) != 0) {
    printf("%s\n", sqlite3_errmsg(db));
    return -1;
  }
  return 0;
}
int once_more_ok(sqlite3 *db) {
  if (sqlite3_close(db) == 0) return 0;
  return sqlite3_close(db);
}
// What it costs: the machine does not say that it worked here.
int told_missed(sqlite3 *db) {
  if (sqlite3_close(db) == 0) {
    printf("%s\n", sqlite3_errmsg(db));  // MISS: use-after-free the result is not looked at
    return -1;
  }
  return 0;
}
