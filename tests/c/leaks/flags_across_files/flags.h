#ifndef FLAGS_H
#define FLAGS_H

extern int flag_true;
extern int flag_false;
extern const int flag_const_five;
extern int flag_written;

void flag_write(int value);
int always_true(void);
int always_false(void);
void sink_free(void *p);
void sink_nothing(void *p);

#endif
