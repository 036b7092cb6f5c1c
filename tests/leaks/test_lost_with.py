"""What an owner that leaks takes along, and what it does not: `Finding.lost_with`."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.api import check

HEAD = """\
#include <stdlib.h>
#include <string.h>
struct user { char *name, *mail; struct user *next; };
struct group { struct user *first; };
static int add(struct group *group, struct user *user) {
  for (struct user *at = group->first; at; at = at->next)
    if (strcmp(at->name, user->name) == 0) return -1;
  user->next = group->first;
  group->first = user;
  return 0;
}
static void clear(struct user *user) { free(user->name); user->name = NULL; }
static void clear_first(struct group *group) {
  if (group->first) clear(group->first);
}
static void group_free(struct group *group) {
  while (group->first) {
    struct user *user = group->first;
    group->first = user->next;
    free(user->name);
    free(user->mail);
    free(user);
  }
}
"""

REFUSED = """
void refused(struct group *group, const char *s) {
  struct user *user = calloc(1, sizeof *user);  // owner
  if (!user) return;
  user->name = strdup(s);  // with
  if (!user->name) { free(user); return; }
  add(group, user);
}
void both(const char *a) {
  struct group group = {NULL};
  refused(&group, a);
  refused(&group, a);
  group_free(&group);
}
"""

REFUSED_HERE = """
void refused_here(const char *a, int n) {
  struct group group = {NULL};
  for (int i = 0; i < n; i++) {
    struct user *user = calloc(1, sizeof *user);  // owner
    if (!user) break;
    user->name = strdup(a);  // with
    user->mail = strdup(a);  // with
    if (!user->name || !user->mail) { free(user->name); free(user->mail); free(user); break; }
    add(&group, user);
  }
  group_free(&group);
}
"""

CLEARED_FIRST = """
void cleared_first(const char *a, int n) {
  struct group group = {NULL};
  for (int i = 0; i < n; i++) {
    struct user *user = calloc(1, sizeof *user);  // owner
    if (!user) break;
    user->name = strdup(a);
    user->mail = strdup(a);  // with
    if (!user->name || !user->mail) { free(user->name); free(user->mail); free(user); break; }
    if (add(&group, user) != 0) clear(user);
  }
  group_free(&group);
}
"""

FREED_BY_LOAD = """
void freed_by_load(const char *a, int n) {
  struct group group = {NULL};
  for (int i = 0; i < n; i++) {
    struct user *user = calloc(1, sizeof *user);  // owner
    if (!user) break;
    user->name = strdup(a);
    if (!user->name) { free(user); break; }
    if (add(&group, user) != 0) free(user->name);
  }
  group_free(&group);
}
"""

CLEARED_IN_MEMORY = """
void cleared_in_memory(const char *a) {
  struct group group = {NULL};
  struct user *user = calloc(1, sizeof *user);  // owner
  if (!user) return;
  group.first = user;
  user->name = strdup(a);
  clear_first(&group);
  group.first = NULL;
  group_free(&group);
}
"""


@pytest.mark.parametrize(
    "source",
    [REFUSED_HERE, CLEARED_FIRST, FREED_BY_LOAD, CLEARED_IN_MEMORY, REFUSED],
    ids=["refused here", "cleared first", "freed by a load", "cleared in memory", "by a callee"],
)
def test_what_is_lost_with_its_owner(tmp_path: Path, source: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + source)
    lines = file.read_text().splitlines()
    owners = {n for n, line in enumerate(lines, start=1) if line.endswith("// owner")}
    expected = {n for n, line in enumerate(lines, start=1) if line.endswith("// with")}
    found = [f for f in check(file).findings if f.allocation.line in owners]
    assert {finding.allocation.line for finding in found} == owners
    assert {place.line for finding in found for place in finding.lost_with} == expected
