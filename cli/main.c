/* main.c: finds the sub-command and hands over. */
#include <stdio.h>

int main(void) {
  fprintf(stderr, "heteroopt: no command\n");
  return 2;
}
