/* Strings: columns and attributes, which the library returns in memory that the caller frees. */

#include <stdio.h>
#include <string.h>

#include "calls.h"

enum { rows = 3 };

static const char* const words[rows] = {"quadrupole", "", "drift space"};

static int put_texts(context* test) {
  quire_file* file = create_step(test);
  const char* const names[2] = {"e-", "e+"};
  const uint64_t lengths[rows] = {4, 0, 5};
  char copies[rows][16];
  const char* pointers[rows];
  for (int i = 0; i < rows; ++i) {
    snprintf(copies[i], sizeof copies[i], "%s", words[i]);
    pointers[i] = copies[i];
  }
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_put_texts(file, "element", pointers, NULL, NULL));
  EXPECT_OK(quire_put_texts(file, "short", pointers, lengths, NULL));
  /* Strings were copied. */
  memset(copies, 'x', sizeof copies);
  EXPECT_OK(quire_set_text(file, "code", "calls"));
  EXPECT_OK(quire_set_texts(file, "species", 2, names));
  return commit_and_close(test, file, __LINE__);
}

static void check_words(context* test, quire_texts* texts, uint64_t first) {
  for (uint64_t i = 0; i < quire_count_texts(texts); ++i) {
    const char* wanted = words[(first + i) % rows];
    EXPECT_TRUE(strcmp(quire_text(texts, i), wanted) == 0);
    EXPECT_TRUE(quire_text_length(texts, i) == strlen(wanted));
  }
  quire_free_texts(texts);
}

static void reads_columns_of_strings(context* test, quire_file* file) {
  const uint64_t all = (uint64_t)(rows * test->size);
  const int is_last = test->rank == test->size - 1;
  quire_texts* texts = NULL;
  EXPECT_OK(quire_read_texts(file, "element", 0, all, &texts));
  EXPECT_TRUE(quire_count_texts(texts) == all && quire_text(texts, all) == NULL);
  EXPECT_TRUE(quire_text_length(texts, all) == 0);
  check_words(test, texts, 0);
  EXPECT_OK(quire_read_texts(file, "short", 2, 1, &texts));
  EXPECT_TRUE(quire_text_length(texts, 0) == 5 && strcmp(quire_text(texts, 0), "drift") == 0);
  quire_free_texts(texts);
  EXPECT_OK(quire_read_texts_all(file, "element", (uint64_t)test->rank, 2, &texts));
  EXPECT_TRUE(quire_count_texts(texts) == 2);
  check_words(test, texts, (uint64_t)test->rank);
  EXPECT_STATUS(QUIRE_MISSING, quire_read_texts(file, "absent", 0, 1, &texts));
  EXPECT_TRUE(texts == NULL);
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts(file, "element", 0, 1, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts(file, NULL, 0, 1, &texts));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts_all(file, "element", 0, 1, is_last ? NULL : &texts));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts_all(file, is_last ? NULL : "element", 0, 1, &texts));
  EXPECT_TRUE(texts == NULL);
  EXPECT_STATUS(QUIRE_UNSUPPORTED, quire_read(file, "element", QUIRE_STRING, 0, 1, &texts));
}

static void reads_attributes_of_strings(context* test, quire_file* file) {
  quire_texts* texts = NULL;
  quire_info info;
  EXPECT_OK(quire_get_texts(file, "species", &texts));
  EXPECT_TRUE(quire_count_texts(texts) == 2 && strcmp(quire_text(texts, 1), "e+") == 0);
  quire_free_texts(texts);
  EXPECT_OK(quire_get_texts(file, "code", &texts));
  EXPECT_TRUE(quire_count_texts(texts) == 1 && strcmp(quire_text(texts, 0), "calls") == 0);
  quire_free_texts(texts);
  EXPECT_OK(quire_get_info(file, QUIRE_ATTRIBUTES, "species", &info, sizeof info));
  EXPECT_TRUE(info.type == QUIRE_STRING && info.count == 2 && info.axes == 1);
  EXPECT_STATUS(QUIRE_MISSING, quire_get_texts(file, "absent", &texts));
  EXPECT_TRUE(texts == NULL);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_texts(file, "code", NULL));
}

/* Strings and numbers of chosen rows in one pass. */
static void reads_strings_of_rows(context* test, quire_file* file) {
  const uint64_t list[2] = {2, 0};
  const char* const names[1] = {"element"};
  const quire_type types[1] = {QUIRE_STRING};
  quire_texts* texts = NULL;
  void* const values[1] = {&texts};
  EXPECT_OK(quire_set_row_list(file, 2, list, NULL));
  EXPECT_OK(quire_read_columns(file, 1, names, types, values));
  EXPECT_TRUE(strcmp(quire_text(texts, 0), words[2]) == 0 && strcmp(quire_text(texts, 1), words[0]) == 0);
  quire_free_texts(texts);
  EXPECT_OK(quire_set_rows_where(file, "element == \"drift space\"", 0, (uint64_t)(rows * test->size)));
  EXPECT_OK(quire_read_columns_all(file, 1, names, types, values));
  EXPECT_TRUE(quire_count_texts(texts) == (uint64_t)test->size && strcmp(quire_text(texts, 0), words[2]) == 0);
  quire_free_texts(texts);
}

static void refuses_wrong_texts(context* test) {
  quire_file* file = create_step(test);
  const char* const hole[rows] = {"a", NULL, "c"};
  EXPECT_STATUS(QUIRE_USAGE, quire_put_texts(file, "element", words, NULL, NULL)); /* no rows */
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_texts(file, "element", hole, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_texts(file, "element", NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_texts(file, NULL, words, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_texts(file, "species", 2, hole));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_texts(file, "species", 2, NULL));
  EXPECT_STATUS(QUIRE_UNSUPPORTED, quire_put(file, "element", QUIRE_STRING, words, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_commit(file));
  close_and_free(test, file);
}

/* A table of strings and numbers, in parts; weighed where the file requires it. */
static void writes_rows_in_parts(context* test) {
  quire_file* file = create_step(test);
  quire_file_info info;
  const double x[rows] = {1, 2, 3};
  const quire_type types[2] = {QUIRE_FLOAT64, QUIRE_STRING};
  EXPECT_OK(quire_get_file_info(file, &info, sizeof info));
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_declare_column(file, "x", QUIRE_FLOAT64, "m"));
  EXPECT_OK(quire_declare_texts(file, "element", 11, 21, NULL));
  quire_status status = quire_agree_on_rows(file);
  for (uint64_t row = 0; row < rows && status == QUIRE_OK; ++row) {
    const void* const values[2] = {&x[row], &words[row]};
    EXPECT_OK(quire_weigh_rows(file, 1, 2, types, values));
  }
  if (status == QUIRE_OK) status = quire_open_step(file);
  for (uint64_t row = 0; row < rows && status == QUIRE_OK; ++row) {
    const void* const values[2] = {&x[row], &words[row]};
    EXPECT_OK(quire_write_rows(file, row, 1, 2, types, values));
  }
  if (status == QUIRE_OK) status = quire_commit(file);
  close_and_free(test, file);
  if (status != QUIRE_OK) {
    EXPECT_TRUE(status == QUIRE_UNSUPPORTED);
    return;
  }
  ++test->rows_in_parts;
  file = open_step(test);
  quire_texts* texts = NULL;
  double last = 0;
  EXPECT_OK(quire_read_texts(file, "element", 0, (uint64_t)(rows * test->size), &texts));
  check_words(test, texts, 0);
  EXPECT_OK(quire_read(file, "x", QUIRE_FLOAT64, (uint64_t)(rows * test->size - 1), 1, &last));
  EXPECT_TRUE(last == 3);
  close_and_free(test, file);
}

static void writes_and_reads_strings(context* test) {
  refuses_wrong_texts(test);
  writes_rows_in_parts(test);
  if (!put_texts(test)) return;
  ++test->with_strings;
  quire_file* file = open_step(test);
  reads_columns_of_strings(test, file);
  reads_attributes_of_strings(test, file);
  reads_strings_of_rows(test, file);
  close_and_free(test, file);
}

void reads_and_writes_texts(context* test) {
  for_formats(test, "texts", quire_format_holds_tables, writes_and_reads_strings);
  EXPECT_TRUE(test->with_strings > 0 && test->rows_in_parts > 0);
  EXPECT_TRUE(quire_count_texts(NULL) == 0 && quire_text(NULL, 0) == NULL && quire_text_length(NULL, 0) == 0);
  quire_free_texts(NULL);
}
