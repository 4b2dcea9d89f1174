/* What every step has, defined before the first one. */

#include <stddef.h>

#include "context.h"

static void define(context* test, quire_file* file, quire_status expected) {
  expect_status(test, quire_define_attribute(file, "charge", QUIRE_FLOAT64, "C"), expected, file, __LINE__);
  expect_status(test, quire_define_attribute(file, "label", QUIRE_STRING, NULL), expected, file, __LINE__);
  expect_status(test, quire_define_column(file, NULL, "x", QUIRE_FLOAT64, "m"), expected, file, __LINE__);
  expect_status(test, quire_define_field(file, "grid", QUIRE_INT32, 2, 1, "V"), expected, file, __LINE__);
}

/* A step with a column, and nothing else that was defined. */
static quire_status write_step(context* test, quire_file* file, const char* column, quire_type type) {
  const double values[2] = {1, 2};
  expect_status(test, quire_step(file, 1), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_rows(file, 2), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put(file, column, type, values, "m"), QUIRE_OK, file, __LINE__);
  return quire_commit(file);
}

void defines_what_steps_have(context* test) {
  quire_file* file = NULL;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  const quire_status status = quire_define_attribute(file, "charge", QUIRE_FLOAT64, "C");
  if (status != QUIRE_OK) {
    expect_status(test, status, QUIRE_UNSUPPORTED, file, __LINE__);
    define(test, file, QUIRE_UNSUPPORTED);
    close_and_free(test, file);
    return;
  }
  ++test->defined;
  expect_status(test, quire_define_attribute(file, NULL, QUIRE_FLOAT64, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_define_column(file, NULL, "s", (quire_type)99, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_define_column(file, NULL, "x", QUIRE_FLOAT64, "m"), QUIRE_OK, file, __LINE__);
  expect(test, write_step(test, file, "x", QUIRE_FLOAT32) != QUIRE_OK, __LINE__, "a column of another type");
  expect(test, write_step(test, file, "y", QUIRE_FLOAT64) != QUIRE_OK, __LINE__, "a column that is not defined");
  close_and_free(test, file);

  /* A file without steps keeps its definitions. */
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  define(test, file, QUIRE_OK);
  close_and_free(test, file);
  expect_status(test, append(test, NULL, 0, &file), QUIRE_OK, file, __LINE__);
  expect(test, write_step(test, file, "y", QUIRE_FLOAT64) != QUIRE_OK, __LINE__, "a column that is not defined");
  close_and_free(test, file);
}
