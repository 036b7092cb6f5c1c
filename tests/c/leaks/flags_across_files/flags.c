// Global flags defined in one file and tested in another. In the whole program nobody writes
// flag_true and flag_false, so their initial values hold.
#include "flags.h"

#include <stdlib.h>

int flag_true = 1;
int flag_false = 0;
const int flag_const_five = 5;
int flag_written;

void flag_write(int value) { flag_written = value; }
int always_true(void) { return 1; }
int always_false(void) { return 0; }
void sink_free(void *p) { free(p); }
void sink_nothing(void *p) { (void)p; }
