/* A file whose root group has damaged link messages is appended to, or refused and left unchanged. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quire/quire.h"

enum { most_bytes = 4096, path_length = 1024 };

/* The link messages of the vector. */
enum { first_byte = 0x350, end_byte = 0x3b0 };

typedef struct content {
  size_t size;
  unsigned char bytes[most_bytes];
} content;

static int read_all(const char* path, content* into) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  into->size = fread(into->bytes, 1, most_bytes, file);
  return fclose(file) == 0;
}

static int write_all(const char* path, const content* from) {
  FILE* file = fopen(path, "wb");
  if (file == NULL) return 0;
  const int is_written = fwrite(from->bytes, 1, from->size, file) == from->size;
  return fclose(file) == 0 && is_written;
}

/* Whether a step was appended. */
static int append_step(const char* path) {
  const double x[3] = {1, 2, 3};
  quire_file* file = NULL;
  quire_status status = quire_append(path, NULL, 0, NULL, &file);
  if (status == QUIRE_OK) status = quire_step(file, 7);
  if (status == QUIRE_OK) status = quire_set_rows(file, 3);
  if (status == QUIRE_OK) status = quire_put(file, "x", QUIRE_FLOAT64, x, NULL);
  if (status == QUIRE_OK) status = quire_commit(file);
  if (status == QUIRE_OK) status = quire_close(file);
  quire_free(file);
  return status == QUIRE_OK;
}

int main(void) {
  static const unsigned char values[] = {0x00, 0x01, 0x05, 0x40, 0xff};
  const char* data = getenv("QUIRE_TEST_DATA");
  const char* directory = getenv("QUIRE_TEST_DIRECTORY");
  if (data == NULL || directory == NULL) return 1;
  char path[path_length];
  static content whole;
  static content damaged;
  static content found;
  snprintf(path, sizeof path, "%s/h5part/ext_parent.h5part", data);
  if (!read_all(path, &whole) || whole.size < end_byte) return 1;
  snprintf(path, sizeof path, "%s/damaged.h5part", directory);
  if (!write_all(path, &whole) || !append_step(path)) {
    fprintf(stderr, "the undamaged file cannot be appended to\n");
    return 1;
  }
  int failures = 0;
  for (size_t place = first_byte; place < end_byte; ++place) {
    for (size_t v = 0; v < sizeof values; ++v) {
      damaged = whole;
      damaged.bytes[place] = values[v];
      if (!write_all(path, &damaged)) return 1;
      if (append_step(path)) continue;
      if (read_all(path, &found) && found.size == damaged.size && memcmp(found.bytes, damaged.bytes, found.size) == 0) {
        continue;
      }
      fprintf(stderr, "byte %zu, value %u: the file was refused and changed\n", place, values[v]);
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
