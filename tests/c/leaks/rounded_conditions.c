// Values with many cases and branches with large conditions: what one way through the function says of
// them is known, though all ways together are too much to carry.
#include <stdlib.h>
#include <string.h>

static int letters;

static char *copy(const char *s, int n) {
  letters += n;
  return s[0] ? strdup(s) : NULL;
}

// A result that most cases set, and one does not.
int set_in_other_cases_ok(const char *s, int n) {
  char *word = NULL, *text = NULL;
  switch (n) {
    case 0: text = strdup(s); break;
    case 1: word = copy(s, 1); break;
    case 2: word = copy(s, 2); break;
    case 3: word = copy(s, 3); break;
    case 4: word = copy(s, 4); break;
    case 5: word = copy(s, 5); break;
    case 6: word = copy(s, 6); break;
    case 7: word = copy(s, 7); break;
    case 8: word = copy(s, 8); break;
    case 9: word = copy(s, 9); break;
    default: word = copy(s, 10); break;
  }
  if (word == NULL) {
    free(text);
    return 0;
  }
  free(word);
  return 1;
}

int set_in_other_cases_bad(const char *s, int n) {
  char *word = NULL, *text = NULL;
  switch (n) {
    case 0: text = strdup(s); break;
    case 1:
      text = strdup(s);  // LEAK: conditional-leak
      word = copy(s, 1);
      break;
    case 2: word = copy(s, 2); break;
    case 3: word = copy(s, 3); break;
    case 4: word = copy(s, 4); break;
    case 5: word = copy(s, 5); break;
    case 6: word = copy(s, 6); break;
    case 7: word = copy(s, 7); break;
    case 8: word = copy(s, 8); break;
    case 9: word = copy(s, 9); break;
    default: word = copy(s, 10); break;
  }
  if (word == NULL) {
    free(text);
    return 0;
  }
  free(word);
  return 1;
}

// The block itself is one of many cases: whichever it is, the test finds it.
static const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

int one_of_many_ok(const char *s, int n) {
  const char *name;
  char *made = NULL;
  switch (n) {
    case 0: name = made = strdup(s); break;
    case 1: name = s[0] == 'a' ? names[0] : NULL; break;
    case 2: name = s[0] == 'b' ? names[letters & 1] : NULL; break;
    case 3: name = s[0] == 'c' && s[1] == 'a' ? names[letters & 2] : NULL; break;
    case 4: name = s[0] == 'd' || s[0] == 'x' ? names[letters & 3] : NULL; break;
    case 5: name = s[0] == 'e' && s[1] != 'b' ? names[letters & 4] : NULL; break;
    case 6: name = s[0] == 'f' || s[0] == 'y' ? names[letters & 5] : NULL; break;
    case 7: name = s[0] == 'g' && s[1] != 'a' ? names[letters & 6] : NULL; break;
    case 8: name = s[0] == 'h' || s[0] == 'z' ? names[letters & 7] : NULL; break;
    default: name = strchr(s, 'a'); break;
  }
  if (name) {
    letters += name[0];
    if (name == made) free(made);
  }
  return letters != 0;
}

int one_of_many_bad(const char *s, int n) {
  const char *name;
  char *made = NULL;
  switch (n) {
    case 0: name = made = strdup(s); break;  // LEAK: conditional-leak
    case 1: name = s[0] == 'a' ? names[0] : NULL; break;
    case 2: name = s[0] == 'b' ? names[letters & 1] : NULL; break;
    case 3: name = s[0] == 'c' && s[1] == 'a' ? names[letters & 2] : NULL; break;
    case 4: name = s[0] == 'd' || s[0] == 'x' ? names[letters & 3] : NULL; break;
    case 5: name = s[0] == 'e' && s[1] != 'b' ? names[letters & 4] : NULL; break;
    case 6: name = s[0] == 'f' || s[0] == 'y' ? names[letters & 5] : NULL; break;
    case 7: name = s[0] == 'g' && s[1] != 'a' ? names[letters & 6] : NULL; break;
    case 8: name = s[0] == 'h' || s[0] == 'z' ? names[letters & 7] : NULL; break;
    default: name = strchr(s, 'a'); break;
  }
  if (name && name[0] == 'a') {
    letters += name[0];
    if (name == made) free(made);
  }
  return letters != 0;
}
