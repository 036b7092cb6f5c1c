// Numbers of all widths, bit-fields, unions, vectors, floating point.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct bits {
  unsigned a : 3;
  int b : 5;
  unsigned long long c : 40;
  _Bool d : 1;
};
union word {
  float number;
  uint32_t bits;
  unsigned char bytes[4];
};
typedef int int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef unsigned char byte16 __attribute__((vector_size(16)));

static const double doubles[] = {1.5, -2.25, 1e300, 0.1, -0.0};
static const uint64_t wide[] = {1ull << 63, 0x123456789abcdefull};
static long double extended[] = {1.1L, -3e4000L, 0.0L};
static const short shorts[3][2] = {{-1, 2}, {300, -400}, {5}};
static volatile int zero;

static void integers(void) {
  long x = -7;
  unsigned char small = 200;
  printf("%ld %ld %ld %d\n", x / 2, x % 2, x >> 1, (signed char)small);
  printf("%d %d %u\n", (small + 100) & 0xff, ~small, (unsigned)-1 / 3);
  printf("%d %d %d\n", __builtin_popcount(255), __builtin_clz(1), __builtin_ctzll(1ull << 40));
  printf("%x %llx %hx\n", __builtin_bswap32(0x12345678), (long long)__builtin_bswap64(1),
         __builtin_bswap16(0x1234));
  int sum;
  long product;
  printf("%d ", __builtin_add_overflow(2147483647, 1, &sum));
  printf("%d ", __builtin_mul_overflow(1L << 40, 1L << 30, &product));
  printf("%d %ld ", sum, product);
  printf("%d\n", __builtin_sub_overflow(3u, 4u, (unsigned *)&sum));
  printf("%d %d %d\n", shorts[0][0], shorts[1][1], shorts[2][1]);
}

static void wide_integers(void) {
  __int128 big = (__int128)1 << 100;
  big = big / 7 * 3 + 5;
  printf("%lld ", (long long)(big % 1000000007));
  unsigned __int128 most = ~(unsigned __int128)0;
  printf("%llx %d ", (unsigned long long)(most / 12345678901ull >> 60), most > (most >> 1));
  switch (big) {
    case (__int128)1 << 90: puts("no"); break;
    default: puts("default");
  }
  printf("%llx %llx\n", (long long)wide[0], (long long)wide[1]);
}

static void fields(void) {
  struct bits b = {5, -3, 0xFFFFFFFFFFull, 1};
  b.c -= 3;
  b.b++;
  b.a += 4;
  printf("%u %d %llx %d %zu\n", b.a, b.b, (unsigned long long)b.c, b.d, sizeof b);
  union word w;
  w.number = 1.0f;
  w.bytes[0] = 1;
  printf("%08x %.9g\n", w.bits, w.number);
}

static void floats(void) {
  for (int i = 0; i < 5; i++) printf("%g %.17g %a\n", doubles[i], doubles[i], doubles[i]);
  printf("%Lf %Le %Lg %La\n", extended[0], extended[1], extended[0] * 3 - 1e-18L, 1.1L);
  float single = 16777217;
  printf("%.1f %d %u %.9g\n", single, (int)-3.9, (unsigned)3.9e9, single / 3);
  printf("%d %d %d %d\n", 0.0 == -0.0, NAN == NAN, NAN != NAN, 1.0 < INFINITY);
  printf("%f %f %f\n", -1 / (zero + 0.0), sqrt(2), (double)(0.1f + 0.2f));
  printf("%g %g %g %ld %g %g\n", pow(2, 10), floor(-2.5), ceil(-2.5), lround(2.5), fmod(7, 3),
         round(-0.5));
  printf("%.20g %.15g\n", (double)0xFFFFFFFFFFFFFFFFull, (double)(float)123456789);
  printf("%lld %llu\n", (long long)-1e15, (unsigned long long)1.8e19);
  for (int i = 0; i < 5; i++) printf("%d%d%d ", !!isnan(doubles[i]), !!isinf(doubles[i]), !!isnormal(doubles[i]));
  printf("%d %d %d\n", !!isinf(doubles[2] * doubles[2]), !!isnan(zero / 0.0), !!isfinite(1e-310));
  printf("%g %g\n", fmin(1, NAN), copysign(3, -1));
}

static void vectors(void) {
  int4 a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
  int4 c = a * b + (a > 2);
  int4 d = __builtin_shufflevector(a, b, 0, 5, 2, 7);
  printf("%d %d %d %d, %d %d %d %d\n", c[0], c[1], c[2], c[3], d[0], d[1], d[2], d[3]);
  float4 f = {1, 2, 3, 4};
  f = f / 3;
  f[zero + 1] = 9;
  int4 whole = __builtin_convertvector(f * 10, int4);
  printf("%g %g %d %d\n", f[1], f[3], whole[1], whole[3]);
  byte16 bytes = (byte16)a;
  printf("%d %d %d\n", bytes[0], bytes[4], bytes[5]);
}

int main(void) {
  integers();
  wide_integers();
  fields();
  floats();
  vectors();
  return 42;
}
