/* Run-time log of what pointers hold; see tests/pointsto/truth.py. */
#include <stddef.h>
void hf_object(const char *name, const void *address, size_t size);
void hf_log(int id, const void *pointer);
#define OBJ(name, address, size) hf_object(name, address, size)
#define LOG(id, pointer) hf_log(id, pointer)
