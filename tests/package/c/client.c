/* Reads how many steps a file has with nothing but the installed headers and library. */

#include <stdio.h>

#include "quire/quire.h"

int main(int argc, char** argv) {
  quire_file* file = NULL;
  uint64_t count = 0;
  if (argc != 2) return 2;
  quire_status status = quire_open(argv[1], NULL, &file);
  if (status == QUIRE_OK) status = quire_steps(file, 0, NULL, &count);
  if (status != QUIRE_OK) fputs(quire_error_message(file), stderr);
  quire_close(file);
  quire_free(file);
  return status == QUIRE_OK && count == 1 ? 0 : 1;
}
