/* The motivating example of the TSE'14 paper (Fig. 2), with the declarations that the figure leaves
 * out: a one-char buffer made of two blocks, both of which leak when the char is a newline. */
#include <stdio.h>
#include <stdlib.h>

char **readBuf(void) {
  char **buf = (char **)malloc(sizeof(char *)); /* o */
  char *text = (char *)malloc(2);               /* o' */
  *buf = text;
  *text = (char)getchar();
  return buf;
}

void freeBuf(char **fbuf) {
  char *tmp = *fbuf;
  free(tmp);
  free(fbuf);
}

void SerialReadBuf(int n) {
  for (int i = 0; i < n; i++) {
    char **mbuf = readBuf();
    char *tmp = *mbuf;
    if (*tmp != '\n') {
      printf("%c", *tmp);
      freeBuf(mbuf);
    }
  }
}
