/* Calls every function of the C interface, on any number of ranks and with every format that has what it needs. */

#include "calls.h"

#include <stdlib.h>
#include <string.h>

typedef struct part {
  const char* name;
  void (*run)(context* test);
} part;

static int run_parts(context* test) {
  static const part parts[] = {{"inquiry", inquires_files},
                               {"texts", reads_and_writes_texts},
                               {"selections", selects_rows_and_elements},
                               {"steps", handles_steps_and_files},
                               {"streams", writes_and_reads_streams},
                               {"elements", writes_and_reads_elements},
                               {"tools", uses_tools},
                               {"nulls", refuses_null_handles},
                               {"discord", agrees_on_one_wrong_rank}};
  const char* only = getenv("QUIRE_TEST_PART");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    if (only == NULL || strcmp(only, parts[i].name) == 0) parts[i].run(test);
  }
  return test->failures;
}

int main(int argc, char** argv) { return run_on_ranks(argc, argv, run_parts); }
