/* What files, steps, tables, columns, fields, attributes and formats are, as a program finds out. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

enum { rows = 3 };

static int is_text(const char* text, const char* wanted) { return text != NULL && strcmp(text, wanted) == 0; }

/* A step with everything that the test looks for; less if the format cannot hold it. */
static int write_rich_step(context* test, int has_fields) {
  quire_file* file = NULL;
  const double x[rows] = {1, 2, 3};
  const int64_t shape[4] = {1, 2, 3, 4};
  const double wavelength = 0.5;
  const float phi[2] = {1, 2};
  const uint64_t axes[2] = {2, 2};
  EXPECT_OK(create(test, &file));
  EXPECT_OK(quire_set_title(file, "a title", "contents"));
  EXPECT_OK(quire_set_description(file, "lambda", "wave length", "%g"));
  EXPECT_OK(quire_set(file, "wavelength", QUIRE_FLOAT64, 1, &wavelength, "m"));
  EXPECT_OK(quire_step(file, 0));
  EXPECT_OK(quire_set(file, "s", QUIRE_FLOAT64, 1, &wavelength, "m"));
  if (has_fields) EXPECT_OK(quire_set_array(file, "matrix", QUIRE_INT64, 2, axes, shape, NULL));
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_set_description(file, "X", "position", "%.3f"));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "mm"));
  EXPECT_OK(quire_put(file, "y", QUIRE_FLOAT64, x, "mm"));
  if (has_fields) {
    const uint64_t extents[2] = {(uint64_t)test->size, 2};
    const uint64_t start[2] = {(uint64_t)test->rank, 0};
    const uint64_t count[2] = {1, 2};
    const double origin[2] = {-1, -2};
    const double spacing[2] = {0.5, 0.25};
    const void* const component[1] = {phi};
    const int32_t order = 2;
    EXPECT_OK(quire_set_box(file, 2, extents, start, count));
    EXPECT_OK(quire_set_grid(file, "phi", 2, origin, spacing));
    EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_FIELD, "phi"));
    EXPECT_OK(quire_set(file, "order", QUIRE_INT32, 1, &order, NULL));
    EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_STEP, NULL));
    EXPECT_OK(quire_set_text(file, "code", "calls"));
    EXPECT_OK(quire_put_field(file, "phi", QUIRE_FLOAT32, 1, component, "V"));
  }
  return commit_and_close(test, file, __LINE__);
}

static void finds_columns(context* test, quire_file* file) {
  quire_info info;
  uint64_t count = 0;
  const char* name = NULL;
  EXPECT_OK(quire_get_count(file, QUIRE_TABLES, &count));
  EXPECT_TRUE(count == 1);
  EXPECT_OK(quire_get_info(file, QUIRE_TABLES, NULL, &info, sizeof info));
  EXPECT_TRUE(info.count == (uint64_t)(rows * test->size) && !info.is_expansion);
  EXPECT_OK(quire_get_count(file, QUIRE_COLUMNS, &count));
  EXPECT_TRUE(count == 2);
  EXPECT_OK(quire_get_name(file, QUIRE_COLUMNS, 1, &name));
  EXPECT_TRUE(is_text(name, "y"));
  EXPECT_STATUS(QUIRE_MISSING, quire_get_name(file, QUIRE_COLUMNS, 2, &name));
  EXPECT_TRUE(name == NULL);
  EXPECT_OK(quire_get_info(file, QUIRE_COLUMNS, "x", &info, sizeof info));
  EXPECT_TRUE(info.type == QUIRE_FLOAT64 && info.count == (uint64_t)(rows * test->size) && info.text_bytes == 0);
  EXPECT_TRUE(is_text(info.name, "x") && is_text(info.unit, "mm") && is_text(info.group, ""));
  test->found_descriptions += is_text(info.symbol, "X") && is_text(info.description, "position");
  EXPECT_STATUS(QUIRE_MISSING, quire_get_info(file, QUIRE_COLUMNS, "xx", &info, sizeof info));
  EXPECT_TRUE(strstr(quire_error_message(file), "nearest: x") != NULL);
  EXPECT_OK(quire_get_count(file, QUIRE_CONSTANTS, &count));
  EXPECT_TRUE(count == 0);
}

/* A program that knows fewer members of a structure, or more. */
static void fills_structures_of_other_versions(context* test, quire_file* file) {
  struct {
    quire_info info;
    uint64_t later;
  } newer;
  quire_info older;
  memset(&newer, 1, sizeof newer);
  memset(&older, 1, sizeof older);
  EXPECT_OK(quire_get_info(file, QUIRE_COLUMNS, "x", &newer.info, sizeof newer));
  EXPECT_TRUE(is_text(newer.info.unit, "mm") && newer.later == 0);
  EXPECT_OK(quire_get_info(file, QUIRE_COLUMNS, "x", &older, sizeof(char*)));
  EXPECT_TRUE(is_text(older.name, "x") && older.components == 0x0101010101010101ULL);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_info(file, QUIRE_COLUMNS, "x", &older, 0));
}

static void finds_attributes(context* test, quire_file* file, int has_fields) {
  quire_info info;
  uint64_t count = 0;
  double value = 0;
  EXPECT_OK(quire_get(file, "wavelength", QUIRE_FLOAT64, 1, &value, NULL));
  EXPECT_TRUE(value == 0.5);
  EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_FILE, NULL));
  /* Some formats have attributes of steps only. */
  if (quire_get_info(file, QUIRE_ATTRIBUTES, "wavelength", &info, sizeof info) == QUIRE_OK) {
    ++test->with_file_attributes;
    EXPECT_TRUE(info.count == 1 && info.axes == 0 && is_text(info.unit, "m"));
    EXPECT_OK(quire_get(file, "wavelength", QUIRE_FLOAT64, 1, &value, NULL));
    EXPECT_TRUE(value == 0.5);
  }
  EXPECT_STATUS(QUIRE_MISSING, quire_get(file, "s", QUIRE_FLOAT64, 1, &value, NULL));
  EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_STEP, NULL));
  EXPECT_OK(quire_get(file, "s", QUIRE_FLOAT64, 1, &value, NULL));
  EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_DEFAULT, NULL));
  EXPECT_OK(quire_get_count(file, QUIRE_ATTRIBUTES, &count));
  EXPECT_TRUE(count >= 1);
  EXPECT_STATUS(QUIRE_USAGE, quire_set_owner(file, (quire_owner)9, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_owner(file, QUIRE_OWNER_FIELD, NULL));
  EXPECT_STATUS(QUIRE_MISSING, quire_set_owner(file, QUIRE_OWNER_FIELD, "psi"));
  if (!has_fields) return;
  int64_t matrix[4] = {0};
  int32_t order = 0;
  EXPECT_OK(quire_get_info(file, QUIRE_ATTRIBUTES, "matrix", &info, sizeof info));
  EXPECT_TRUE(info.axes == 2 && info.extents[0] == 2 && info.extents[1] == 2 && info.type == QUIRE_INT64);
  EXPECT_OK(quire_get(file, "matrix", QUIRE_INT64, 4, matrix, NULL));
  EXPECT_TRUE(matrix[1] == 2 && matrix[2] == 3);
  EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_FIELD, "phi"));
  if (quire_get(file, "order", QUIRE_INT32, 1, &order, NULL) == QUIRE_OK) {
    ++test->with_field_attributes;
    EXPECT_TRUE(order == 2);
  }
  EXPECT_STATUS(QUIRE_MISSING, quire_get(file, "s", QUIRE_FLOAT64, 1, &value, NULL));
  EXPECT_OK(quire_set_owner(file, QUIRE_OWNER_DEFAULT, NULL));
}

static void finds_fields(context* test, quire_file* file) {
  quire_info info;
  double origin[2] = {0, 0};
  double spacing[2] = {0, 0};
  uint64_t count = 7;
  EXPECT_OK(quire_get_info(file, QUIRE_FIELDS, "phi", &info, sizeof info));
  EXPECT_TRUE(info.axes == 2 && info.extents[0] == (uint64_t)test->size && info.components == 1);
  EXPECT_TRUE(info.type == QUIRE_FLOAT32 && is_text(info.unit, "V") && info.count == (uint64_t)(2 * test->size));
  EXPECT_OK(quire_get_grid(file, "phi", 2, origin, spacing));
  test->with_grids += origin[1] == -2 && spacing[0] == 0.5;
  EXPECT_TRUE(isnan(origin[1]) || origin[1] == -2);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_grid(file, "phi", 3, origin, spacing));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_grid(file, "phi", 2, NULL, spacing));
  EXPECT_OK(quire_get_coordinates(file, "phi", 0, 0, NULL, &count));
  EXPECT_TRUE(count == 0);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_coordinates(file, "phi", 2, 0, NULL, &count));
}

static void finds_locations(context* test, quire_file* file, int has_fields) {
  quire_location location;
  EXPECT_OK(quire_locate(file, "x", &location, sizeof location));
  EXPECT_TRUE(location.type == QUIRE_FLOAT64 && location.count == (uint64_t)(rows * test->size));
  EXPECT_STATUS(QUIRE_MISSING, quire_locate(file, "z", &location, sizeof location));
  EXPECT_STATUS(QUIRE_USAGE, quire_locate(file, NULL, &location, sizeof location));
  if (has_fields) {
    EXPECT_OK(quire_locate_field(file, "phi", 0, &location, sizeof location));
    EXPECT_TRUE(location.count == (uint64_t)(2 * test->size));
  }
  EXPECT_STATUS(QUIRE_MISSING, quire_locate_field(file, "psi", 0, &location, sizeof location));
}

static void finds_the_file(context* test, quire_file* file) {
  quire_file_info info;
  quire_info fact;
  quire_counters counters;
  quire_timing timing;
  quire_error error;
  uint64_t count = 0;
  int64_t number = -1;
  const char* name = NULL;
  EXPECT_OK(quire_get_file_info(file, &info, sizeof info));
  EXPECT_TRUE(is_text(info.format, test->format) && !info.is_writing);
  test->found_titles += is_text(info.title, "a title");
  EXPECT_OK(quire_get_count(file, QUIRE_LAYOUT, &count));
  EXPECT_TRUE(count > 0);
  EXPECT_OK(quire_get_name(file, QUIRE_LAYOUT, 0, &name));
  EXPECT_OK(quire_get_info(file, QUIRE_LAYOUT, name, &fact, sizeof fact));
  EXPECT_TRUE(fact.value != NULL && strlen(fact.value) > 0);
  EXPECT_OK(quire_get_count(file, QUIRE_MEMBERS, &count));
  EXPECT_OK(quire_get_count(file, QUIRE_ATTACHMENTS, &count));
  EXPECT_OK(quire_get_count(file, QUIRE_WARNINGS, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_count(file, QUIRE_REMARKS, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_count(file, (quire_list)99, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_count(file, QUIRE_LAYOUT, NULL));
  EXPECT_OK(quire_get_error(file, &error, sizeof error));
  EXPECT_TRUE(error.status == QUIRE_USAGE && strlen(error.message) > 0 && !error.has_offset && error.rank == -1);
  EXPECT_OK(quire_get_counters(file, &counters, sizeof counters));
  EXPECT_TRUE(test->rank > 0 || counters.bytes_read > 0);
  EXPECT_OK(quire_get_timing(file, &timing, sizeof timing));
  EXPECT_TRUE(timing.plan >= 0);
  EXPECT_OK(quire_get_step(file, &number));
  EXPECT_TRUE(number == 0);
}

static void inquires(context* test) {
  quire_counters counters;
  const int has_fields = write_rich_step(test, 1);
  if (!has_fields) EXPECT_TRUE(write_rich_step(test, 0));
  test->found_fields += has_fields;
  quire_file* file = open_step(test);
  finds_columns(test, file);
  fills_structures_of_other_versions(test, file);
  finds_attributes(test, file, has_fields);
  if (has_fields && has_two_axes(file, "phi")) finds_fields(test, file);
  finds_locations(test, file, has_fields);
  finds_the_file(test, file);
  EXPECT_OK(quire_close(file));
  EXPECT_OK(quire_get_counters(file, &counters, sizeof counters));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_file_info(file, &(quire_file_info){0}, sizeof(quire_file_info)));
  quire_free(file);
}

/* What is known while a file is written is its first committed step. */
static void inquires_while_writing(context* test) {
  quire_file* file = create_step(test);
  const double x[1] = {1};
  quire_file_info info;
  quire_counters counters;
  uint64_t count = 7;
  EXPECT_OK(quire_get_file_info(file, &info, sizeof info));
  EXPECT_TRUE(info.is_writing && is_text(info.format, ""));
  EXPECT_OK(quire_get_count(file, QUIRE_TABLES, &count));
  EXPECT_TRUE(count == 0);
  EXPECT_OK(quire_set_rows(file, 1));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "m"));
  EXPECT_OK(quire_commit(file));
  EXPECT_OK(quire_get_count(file, QUIRE_COLUMNS, &count));
  EXPECT_TRUE(count == 1);
  EXPECT_OK(quire_get_count(file, QUIRE_REMARKS, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_count(file, QUIRE_LAYOUT, &count));
  EXPECT_OK(quire_close(file));
  EXPECT_OK(quire_get_counters(file, &counters, sizeof counters));
  EXPECT_TRUE(test->size > 1 ? counters.collectives > 0 : counters.writes > 0);
  quire_free(file);
}

static void describes_options(context* test, const char* format, int is_writing, uint64_t options) {
  quire_file* const file = NULL;
  quire_option_info info;
  for (uint64_t i = 0; i < options; ++i) {
    EXPECT_OK(quire_get_option(format, is_writing, i, &info, sizeof info));
    EXPECT_TRUE(strlen(info.name) > 0 && strlen(info.help) > 0 && info.preset != NULL);
    for (uint64_t choice = 0; choice < info.choices; ++choice) {
      EXPECT_TRUE(quire_option_choice(format, is_writing, i, choice) != NULL);
    }
    EXPECT_TRUE(quire_option_choice(format, is_writing, i, info.choices) == NULL);
  }
  EXPECT_STATUS(QUIRE_MISSING, quire_get_option(format, is_writing, options, &info, sizeof info));
}

static void describes_formats(context* test) {
  quire_file* const file = NULL;
  quire_format_info info;
  const char* name = NULL;
  for (uint64_t index = 0; (name = quire_format_name(index)) != NULL; ++index) {
    EXPECT_OK(quire_get_format_info(name, &info, sizeof info));
    EXPECT_TRUE(is_text(info.name, name) && strlen(info.title) > 0);
    EXPECT_TRUE(info.holds_one_step == quire_format_holds_one_step(name));
    EXPECT_TRUE(info.holds_tables == quire_format_holds_tables(name));
    EXPECT_TRUE(info.holds_streams == quire_format_holds_streams(name));
    for (uint64_t i = 0; i < info.suffixes; ++i) EXPECT_TRUE(strlen(quire_format_suffix(name, i)) > 0);
    EXPECT_TRUE(quire_format_suffix(name, info.suffixes) == NULL);
    describes_options(test, name, 0, info.read_options);
    describes_options(test, name, 1, info.write_options);
  }
  quire_option_info option;
  EXPECT_OK(quire_get_option("", 0, 0, &option, sizeof option));
  EXPECT_OK(quire_get_option("", 1, 0, &option, sizeof option));
  EXPECT_STATUS(QUIRE_MISSING, quire_get_format_info("no format", &info, sizeof info));
  EXPECT_STATUS(QUIRE_MISSING, quire_get_option("no format", 0, 0, &option, sizeof option));
  EXPECT_TRUE(quire_format_for_path("no suffix") == NULL && quire_format_for_path(NULL) == NULL);
  EXPECT_TRUE(quire_format_suffix(NULL, 0) == NULL && quire_option_choice(NULL, 0, 0, 0) == NULL);
  EXPECT_TRUE(is_text(quire_format_for_path("beam.h5"), quire_format_for_path("other.h5")));
}

/* What is set for a field that is not put afterwards would be lost. */
static void refuses_descriptions_without_a_field(context* test) {
  quire_file* file = NULL;
  const double origin[1] = {0};
  EXPECT_OK(create(test, &file));
  EXPECT_OK(quire_step(file, 0));
  EXPECT_OK(quire_set_grid(file, "phi", 1, origin, origin));
  EXPECT_STATUS(QUIRE_USAGE, quire_commit(file));
  EXPECT_TRUE(strstr(quire_error_message(file), "phi") != NULL);
  close_and_free(test, file);
}

static void names_everything(context* test) {
  EXPECT_TRUE(quire_version()[0] >= '0' && quire_version()[0] <= '9');
  EXPECT_TRUE(is_text(quire_status_name(QUIRE_OK), "ok"));
  EXPECT_TRUE(is_text(quire_status_name((quire_status)99), "unknown"));
  EXPECT_TRUE(is_text(quire_type_name(QUIRE_FLOAT64), "float64") && is_text(quire_type_name(QUIRE_STRING), "string"));
  EXPECT_TRUE(is_text(quire_type_name((quire_type)99), "unknown"));
  EXPECT_TRUE(quire_type_size(QUIRE_INT16) == 2 && quire_type_size(QUIRE_FLOAT80) == 16);
  EXPECT_TRUE(quire_type_size(QUIRE_STRING) == 0 && quire_type_size((quire_type)99) == 0);
}

void inquires_files(context* test) {
  names_everything(test);
  describes_formats(test);
  for_formats(test, "inquiry", quire_format_holds_tables, inquires);
  for_formats(test, "writing", quire_format_holds_tables, inquires_while_writing);
  for_formats(test, "unused", quire_format_holds_tables, refuses_descriptions_without_a_field);
  EXPECT_TRUE(test->with_file_attributes > 0 && test->with_field_attributes > 0 && test->with_grids > 0);
  EXPECT_TRUE(test->found_fields > 0 && test->found_titles > 0 && test->found_descriptions > 0);
}
