// Constants of all kinds, and what prints them: the bytes of each table as the machine has them.
#include <stddef.h>
#include <stdio.h>

typedef int ints4 __attribute__((vector_size(16)));
typedef double doubles2 __attribute__((vector_size(16)));

const int table_int[] = {1, -2, 3, 0x7fffffff};
const unsigned short table_short[300] = {1, 0xffff, [299] = 77};
const unsigned char table_byte[] = {0, 200, 255, 0, 0};
const long table_long[] = {1, -2, 1L << 62, -9223372036854775807L - 1};
const unsigned long table_unsigned[] = {~0UL, 1UL << 63, 0};
const double table_double[] = {1.5, -0.0, 1e300, 0.1, -1.0 / 3};
const float table_float[] = {1.5f, 0.1f, -3e38f};
const long double table_extended[] = {1.25L, -3.5L, 0.1L, 1e4000L};
const _Float16 table_half[] = {1.5f16, -2.0f16};
const __int128 table_wide[] = {
    1, -1, ((__int128)1 << 100) + 7, -((__int128)1 << 90), 0, (__int128)1 << 63, ~0UL,
};
const wchar_t table_text[] = L"wide \u20ac";
const struct { char c; short s; double d; float f[3]; long double e; __int128 w; } table_struct[] = {
    {1, 2, 3.5, {0.25f, 0, -1}, 7, -5},
    {-1, -2, 0, {0}, 0, 0},
};
const ints4 table_vector[] = {{1, -2, 3, -4}, {0}};
const doubles2 table_doubles = {0.5, -0.25};
double scalar_double = -2.75;
float scalar_float = 0.3f;
long double scalar_extended = -0.7L;
__int128 scalar_wide = ((__int128)0x123456789abcdef << 64) - 3;
unsigned __int128 scalar_unsigned = ~(unsigned __int128)0;
static const unsigned order[] = {3, 1, 2};

double add_double(double x) { return x + 2.5; }
float add_float(float x) { return x + 0.1f; }
long double add_extended(long double x) { return x + 0.1L; }
__int128 add_wide(__int128 x) { return x + (((__int128)5 << 70) | 9); }
__int128 add_negative(__int128 x) { return x + -2; }
ints4 add_vector(ints4 x) { return x + (ints4){1, 2, 3, 4}; }
ints4 add_zero(ints4 x) { return x * (ints4){0}; }
ints4 shuffle(ints4 a, ints4 b) { return __builtin_shufflevector(a, b, 0, -1, 5, 2); }
ints4 shuffle_zero(ints4 a, ints4 b) { return __builtin_shufflevector(a, b, 0, 0, 0, 0); }
ints4 shuffle_all(ints4 a, ints4 b) { return __builtin_shufflevector(a, b, 7, 6, 1, 0); }

#define PRINT(table) print(#table, &table, sizeof table)
static void print(const char *name, const void *bytes, unsigned long count) {
  printf("%s ", name);
  for (unsigned long i = 0; i < count; i++) printf("%02x", ((const unsigned char *)bytes)[i]);
  printf("\n");
}
int main(void) {
  PRINT(table_int);
  PRINT(table_short);
  PRINT(table_byte);
  PRINT(table_long);
  PRINT(table_unsigned);
  PRINT(table_double);
  PRINT(table_float);
  PRINT(table_extended);
  PRINT(table_half);
  PRINT(table_wide);
  PRINT(table_text);
  PRINT(table_struct);
  PRINT(table_vector);
  PRINT(table_doubles);
  PRINT(scalar_double);
  PRINT(scalar_float);
  PRINT(scalar_extended);
  PRINT(scalar_wide);
  PRINT(scalar_unsigned);
  PRINT(order);
  return 0;
}
