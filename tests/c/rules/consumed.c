/* A library closes what it was given if an argument says so, and goes on leading to a screen and its
 * streams. NOT RUN: needs SDL and a terminal. */
#include <stdio.h>

typedef struct SDL_Surface SDL_Surface;
typedef struct SDL_RWops SDL_RWops;
typedef struct Mix_Chunk Mix_Chunk;
typedef struct screen SCREEN;
SDL_RWops *SDL_RWFromFile(const char *, const char *);
int SDL_SaveBMP_RW(SDL_Surface *, SDL_RWops *, int);
Mix_Chunk *Mix_LoadWAV_RW(SDL_RWops *, int);
void Mix_FreeChunk(Mix_Chunk *);
SCREEN *newterm(const char *, FILE *, FILE *);
SCREEN *set_term(SCREEN *);

int saved_ok(SDL_Surface *s, const char *name) {
  return SDL_SaveBMP_RW(s, SDL_RWFromFile(name, "wb"), 1);
}

int saved_bad(SDL_Surface *s, const char *name) {
  return SDL_SaveBMP_RW(s, SDL_RWFromFile(name, "wb"), 0); // RULE: resource-leak
}

int loaded_ok(const char *name) {
  Mix_Chunk *chunk = Mix_LoadWAV_RW(SDL_RWFromFile(name, "rb"), 1);
  if (!chunk) return -1;
  Mix_FreeChunk(chunk);
  return 0;
}

int screen_ok(void) {
  FILE *tty = fopen("/dev/tty", "r+");
  if (!tty) return -1;
  SCREEN *screen = newterm(NULL, tty, tty);
  if (!screen) {
    fclose(tty);
    return -1;
  }
  set_term(screen);
  return 0;
}
