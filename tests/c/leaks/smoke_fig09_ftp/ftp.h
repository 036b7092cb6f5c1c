#ifndef FTP_H
#define FTP_H

char *mapped_path(const char *path);

extern char *rename_from;

#endif
