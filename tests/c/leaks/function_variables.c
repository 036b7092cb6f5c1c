// Functions of a library that are variables: `xmlFree` is a pointer. NOT RUN: nobody here defines it.
#include <string.h>

extern void (*xmlFree)(void *);
extern void *(*xmlMalloc)(unsigned long);
typedef struct _xmlNode *xmlNodePtr;
extern unsigned char *xmlGetProp(const xmlNodePtr, const unsigned char *);

int attribute_ok(xmlNodePtr node) {
  unsigned char *value = xmlGetProp(node, (const unsigned char *)"a");
  if (!value) return 0;
  int first = value[0];
  xmlFree(value);
  return first;
}
int attribute_bad(xmlNodePtr node) {
  unsigned char *value = xmlGetProp(node, (const unsigned char *)"a");  // LEAK: conditional-leak
  if (!value) return 0;
  if (value[0] == 'x') return 1;
  xmlFree(value);
  return 2;
}
int twice_ok(xmlNodePtr node) {
  unsigned char *value = xmlGetProp(node, (const unsigned char *)"a");
  if (value) xmlFree(value);
  value = xmlGetProp(node, (const unsigned char *)"b");
  if (value) xmlFree(value);
  return 0;
}
