"""Functions of the library on what is not known: results agree with each other and with the bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.replay.knowledge import Knowledge
from tests.replay.explore import explore, load_text

_SOURCE = r"""
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int two_literals(const char *s) {
  if (strcmp(s, "alpha") == 0) return strcmp(s, "beta") == 0 ? 1 : 2;
  return strcmp(s, "alpha") == 0 ? 3 : 4;
}
int literal_and_bytes(const char *s) {
  if (strcmp(s, "ab") != 0) return 0;
  if (s[0] != 'a' || s[1] != 'b' || s[2] != 0) return 1;
  return strlen(s) == 2 ? 2 : 3;
}
int bytes_and_literal(const char *s) {
  if (s[0] != 'x') return 0;
  return strcmp(s, "yes") == 0 ? 1 : 2;
}
int length_and_first(const char *s) {
  if (strlen(s) == 0) return s[0] ? 1 : 2;
  return s[0] ? 3 : 4;
}
int first_and_length(const char *s) {
  if (!s[0]) return strlen(s) == 0 ? 1 : 2;
  return strlen(s) == 0 ? 3 : 4;
}
int length_twice(const char *s) { return strlen(s) == strlen(s) ? 1 : 2; }
int length_after_write(char *s) {
  if (strlen(s) != 5) return 0;
  s[2] = 0;
  return strlen(s) == 5 ? 1 : 2;
}
int length_in_array(void) {
  char text[8];
  if (!fgets(text, sizeof text, stdin)) return 0;
  return strlen(text) < 8 ? 1 : 2;
}
int length_and_literal(const char *s) {
  if (strlen(s) != 3) return 0;
  return strcmp(s, "four") == 0 ? 1 : strcmp(s, "one") == 0 ? 2 : 3;
}
int prefix(const char *s) {
  if (strncmp(s, "--", 2) != 0) return 0;
  return strcmp(s, "--x") == 0 ? 1 : strncmp(s, "-a", 2) == 0 ? 2 : 3;
}
int two_unknowns(const char *s, const char *t) {
  if (strcmp(s, t) != 0) return strcmp(s, t) == 0 ? 1 : 2;
  return strcmp(t, s) == 0 ? 3 : 4;
}
int two_unknowns_changed(char *s, const char *t) {
  if (strcmp(s, t) != 0) return 0;
  s[0] ^= 1;
  return strcmp(s, t) == 0 ? 1 : 2;
}
int any_case(const char *s) {
  if (strcasecmp(s, "Yes") != 0) return 0;
  return strcmp(s, "yEs") == 0 ? 1 : strcmp(s, "no") == 0 ? 2 : 3;
}
int compared_memory(const char *p) {
  if (memcmp(p, "\1\2", 2) != 0) return 0;
  return p[0] == 1 && p[1] == 2 ? 1 : 2;
}
int classes(int c) {
  if (!isdigit(c)) return 0;
  if (isspace(c) || isalpha(c)) return 1;
  return c >= '0' && c <= '9' ? 2 : 3;
}
int cases(int c) {
  if (c < 0 || c > 255) return 0;
  if (isupper(c)) return tolower(c) == c ? 1 : 2;
  return tolower(c) == c ? 3 : 4;
}
int duplicate(const char *s) {
  if (strcmp(s, "ok") != 0) return 0;
  char *copy = strdup(s);
  if (!copy) return 1;
  int result = strcmp(copy, "ok") == 0 && strlen(copy) == 2 ? 2 : 3;
  free(copy);
  return result;
}
int duplicate_unknown(const char *s) {
  char *copy = strdup(s);
  if (!copy) return 0;
  int result = strlen(copy) == strlen(s) ? 1 : 2;
  if (strcmp(s, "a") == 0 && strcmp(copy, "b") == 0) result = 3;
  free(copy);
  return result;
}
static const int table[] = {5, 5, 5, 9, 9, 2};
int constant_table(unsigned i) {
  if (i > 5) return 0;
  if (table[i] == 9) return i == 3 || i == 4 ? 1 : 2;
  return table[i] == 7 ? 3 : 4;
}
int made_text(int n) {
  char text[16];
  snprintf(text, sizeof text, "%s-%d", "id", 42);
  return strcmp(text, "id-42") == 0 && strlen(text) == 5 ? 1 : 2;
}
static char *shown(const char *format, ...) {
  char *text = NULL;
  __builtin_va_list list;
  __builtin_va_start(list, format);
  if (vasprintf(&text, format, list) < 0) text = NULL;
  __builtin_va_end(list);
  return text;
}
int allocated_text(void) {
  char *text = shown("%c%03d", 'x', 7);
  if (!text) return 0;
  int result = strcmp(text, "x007") == 0 ? 1 : 2;
  free(text);
  return result;
}
int number(void) { return atoi("17") == 17 && strtol("0x1f", NULL, 0) == 31 ? 1 : 2; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    return load_text("#define _GNU_SOURCE\n" + _SOURCE, tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize(
    ("name", "possible"),
    [
        ("two_literals", {2, 4}),
        ("literal_and_bytes", {0, 2}),
        ("bytes_and_literal", {0, 2}),
        ("length_and_first", {2, 3}),
        ("first_and_length", {1, 4}),
        ("length_twice", {1}),
        ("length_after_write", {0, 2}),
        ("length_in_array", {0, 1}),
        ("length_and_literal", {0, 2, 3}),
        ("prefix", {0, 1, 3}),
        ("two_unknowns", {2, 3}),
        ("two_unknowns_changed", {0, 1, 2}),
        ("any_case", {0, 1, 3}),
        ("compared_memory", {0, 1}),
        ("classes", {0, 2}),
        ("cases", {0, 2, 3}),
        ("duplicate", {0, 2}),
        ("duplicate_unknown", {1}),
        ("constant_table", {0, 1, 4}),
        ("made_text", {1}),
        ("allocated_text", {1}),  # asprintf fails for want of memory only
        ("number", {1}),
    ],
)
def test_results_agree(program: Knowledge, name: str, possible: set[int]) -> None:
    explored = explore(program, name)
    assert explored.returned == possible
    assert not explored.cuts


def test_models_are_not_taken_for_functions_of_other_prototypes(tmp_path: Path) -> None:
    text = "int strlen(int, int, int); int f(int n) { return strlen(n, 1, 2) == 0 ? 1 : 2; }"
    assert explore(load_text(text, tmp_path), "f").returned == {1, 2}
