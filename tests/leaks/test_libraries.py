"""Programs against libraries that need not be installed: what the models say is put to use.

A function whose name ends in `_leak` loses something, all others do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.api import check

ENCODERS = """
typedef struct session SSL_SESSION;
int i2d_SSL_SESSION(const SSL_SESSION *, unsigned char **);
void *malloc(unsigned long);
void free(void *);
int store(const unsigned char *, int);

int into_array(SSL_SESSION *s) {
  unsigned char der[4096], *p = der;
  int n = i2d_SSL_SESSION(s, 0);
  if (n < 0 || n > (int)sizeof der) return 0;
  n = i2d_SSL_SESSION(s, &p);
  return store(der, n);
}
int into_block(SSL_SESSION *s) {
  int n = i2d_SSL_SESSION(s, 0);
  unsigned char *der = malloc(n), *p = der;
  if (!der) return 0;
  i2d_SSL_SESSION(s, &p);
  n = store(der, n);
  free(der);
  return n;
}
int into_new_leak(SSL_SESSION *s) {
  unsigned char *p = 0;
  int n = i2d_SSL_SESSION(s, &p);
  return n > 0 ? p[0] : 0;
}
int into_maybe_new_leak(SSL_SESSION *s, unsigned char *room) {
  unsigned char *p = room;
  return i2d_SSL_SESSION(s, &p);
}
"""

TAKEN_ON_SUCCESS = """
typedef struct dh DH;
typedef struct bignum BIGNUM;
DH *DH_new(void);
void DH_free(DH *);
BIGNUM *BN_bin2bn(const unsigned char *, int, BIGNUM *);
void BN_free(BIGNUM *);
int DH_set0_pqg(DH *, BIGNUM *, BIGNUM *, BIGNUM *);

DH *tested_as_truth(const unsigned char *prime, const unsigned char *gen) {
  DH *dh = DH_new();
  if (!dh) return 0;
  BIGNUM *p = BN_bin2bn(prime, 3, 0), *g = BN_bin2bn(gen, 1, 0);
  if (!p || !g || !DH_set0_pqg(dh, p, 0, g)) {
    DH_free(dh);
    BN_free(p);
    BN_free(g);
    return 0;
  }
  return dh;
}
DH *tested_for_one(const unsigned char *prime, const unsigned char *gen) {
  DH *dh = DH_new();
  if (!dh) return 0;
  BIGNUM *p = BN_bin2bn(prime, 3, 0), *g = BN_bin2bn(gen, 1, 0);
  if (!p || !g || DH_set0_pqg(dh, p, 0, g) != 1) {
    DH_free(dh);
    BN_free(p);
    BN_free(g);
    return 0;
  }
  return dh;
}
DH *refused_leak(const unsigned char *prime, const unsigned char *gen) {
  DH *dh = DH_new();
  if (!dh) return 0;
  BIGNUM *p = BN_bin2bn(prime, 3, 0), *g = BN_bin2bn(gen, 1, 0);
  if (!DH_set0_pqg(dh, p, 0, g)) {
    DH_free(dh);
    return 0;
  }
  return dh;
}
"""

OWNERS = """
typedef struct allocator apr_allocator_t;
typedef struct pool apr_pool_t;
int apr_allocator_create(apr_allocator_t **);
void apr_allocator_destroy(apr_allocator_t *);
void apr_allocator_owner_set(apr_allocator_t *, apr_pool_t *);
int apr_pool_create_ex(apr_pool_t **, apr_pool_t *, int (*)(int), apr_allocator_t *);

apr_pool_t *owned(apr_pool_t *parent) {
  apr_allocator_t *a;
  apr_pool_t *p;
  if (apr_allocator_create(&a) != 0) return 0;
  if (apr_pool_create_ex(&p, parent, 0, a) != 0) {
    apr_allocator_destroy(a);
    return 0;
  }
  apr_allocator_owner_set(a, p);
  return p;
}
apr_pool_t *not_owned_if_it_fails_leak(apr_pool_t *parent) {
  apr_allocator_t *a;
  apr_pool_t *p;
  if (apr_allocator_create(&a) != 0) return 0;
  if (apr_pool_create_ex(&p, parent, 0, a) != 0) return 0;
  apr_allocator_owner_set(a, p);
  return p;
}
"""


@pytest.mark.parametrize(
    "source",
    [ENCODERS, TAKEN_ON_SUCCESS, OWNERS],
    ids=["encoders", "taken on success", "owners"],
)
def test_functions_that_leak_and_their_twins(source: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(source)
    names = [
        line.split("(")[0].split()[-1].lstrip("*") for line in source.splitlines() if "{" in line
    ]
    wanted = {name for name in names if name.endswith("_leak")}
    assert wanted
    report = check(file, root=tmp_path)
    assert {finding.allocation.function for finding in report.findings} == wanted
