/* Streams: the bytes of each task, in pieces. */

#include <string.h>

#include "calls.h"

enum { streams_per_rank = 2, chunk = 4096 };

static const char first[] = "the first piece";
static const char second[] = "and the second one";

static int64_t task(const context* test, int stream) { return (int64_t)(streams_per_rank * test->rank + stream); }

static void put_pieces(context* test, quire_file* file) {
  for (int stream = 0; stream < streams_per_rank; ++stream) {
    quire_stream_options options = quire_default_stream_options();
    uint64_t number = 9;
    uint64_t bytes = 0;
    options.rank = task(test, stream);
    options.chunk_bytes = chunk;
    EXPECT_OK(quire_add_stream(file, &options, &number));
    EXPECT_TRUE(number == (uint64_t)stream);
    EXPECT_OK(quire_write_stream(file, number, sizeof first, first));
    EXPECT_OK(quire_ensure_space(file, number, sizeof second));
    EXPECT_OK(quire_write_stream_together(file, number, sizeof second, second));
    EXPECT_OK(quire_get_stream_size(file, number, &bytes));
    EXPECT_TRUE(bytes == sizeof first + sizeof second);
    EXPECT_STATUS(QUIRE_USAGE, quire_get_space(file, number, &bytes));
  }
}

/* The same after the step is placed: each piece is written at once. */
static void writes_at_once(context* test) {
  quire_file* file = create_step(test);
  quire_stream_options options = quire_default_stream_options();
  uint64_t number = 9;
  uint64_t bytes = 0;
  options.rank = test->rank;
  options.chunk_bytes = chunk;
  EXPECT_OK(quire_add_stream(file, &options, &number));
  EXPECT_OK(quire_open_step(file));
  EXPECT_OK(quire_get_space(file, number, &bytes));
  EXPECT_TRUE(bytes >= chunk);
  EXPECT_OK(quire_write_stream(file, number, sizeof first, first));
  EXPECT_TRUE(commit_and_close(test, file, __LINE__));
}

static void reads_pieces(context* test, quire_file* file) {
  char read[sizeof first + sizeof second];
  uint64_t count = 0;
  uint64_t offset = 0;
  quire_stream_info info;
  const int64_t wanted[2] = {(int64_t)(streams_per_rank * test->size) - 1, task(test, 0)};
  EXPECT_OK(quire_count_streams(file, &count));
  EXPECT_TRUE(count == (uint64_t)(streams_per_rank * test->size));
  EXPECT_OK(quire_find_streams_all(file, 2, wanted, QUIRE_BY_RANK));
  EXPECT_OK(quire_get_stream_info(file, 0, &info, sizeof info));
  EXPECT_TRUE(info.rank == wanted[0] && info.bytes == sizeof read && info.chunks > 0);
  EXPECT_OK(quire_get_stream_size(file, 1, &count));
  EXPECT_TRUE(count == sizeof read);
  EXPECT_OK(quire_get_stream_chunk(file, 1, 0, &offset, &count));
  EXPECT_TRUE(count > 0 && offset > 0);
  EXPECT_STATUS(QUIRE_MISSING, quire_get_stream_chunk(file, 1, info.chunks, &offset, &count));
  EXPECT_OK(quire_read_stream(file, 1, 0, sizeof read, read, &count));
  EXPECT_TRUE(count == sizeof read && memcmp(read, first, sizeof first) == 0);
  EXPECT_TRUE(memcmp(read + sizeof first, second, sizeof second) == 0);
  EXPECT_OK(quire_read_stream(file, 0, sizeof first, sizeof read, read, &count));
  EXPECT_TRUE(count == sizeof second && memcmp(read, second, sizeof second) == 0);
  EXPECT_OK(quire_find_streams_all(file, test->rank == 0 ? 0 : 1, wanted, QUIRE_BY_INDEX));
}

static void refuses_wrong_streams(context* test, quire_file* file) {
  const int is_last = test->rank == test->size - 1;
  const int64_t wanted[1] = {is_last ? 99999 : 0};
  char byte = 0;
  uint64_t count = 0;
  quire_record record;
  EXPECT_STATUS(QUIRE_MISSING, quire_find_streams_all(file, 1, wanted, QUIRE_BY_RANK));
  EXPECT_STATUS(QUIRE_USAGE, quire_find_streams_all(file, 1, is_last ? NULL : wanted, QUIRE_BY_RANK));
  EXPECT_STATUS(QUIRE_USAGE, quire_find_streams_all(file, 0, NULL, is_last ? (quire_streams_by)9 : QUIRE_BY_RANK));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_stream(file, 0, 0, 1, &byte, &count));
  EXPECT_OK(quire_find_streams_all(file, 1, &(int64_t){0}, QUIRE_BY_INDEX));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_stream(file, 0, 0, 1, NULL, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_stream(file, 0, 0, 1, &byte, NULL));
  EXPECT_STATUS(QUIRE_UNSUPPORTED, quire_get_record(file, 0, 0, &record, sizeof record));
}

static void refuses_wrong_pieces(context* test) {
  quire_file* file = create_step(test);
  uint64_t number = 0;
  quire_stream_options options = quire_default_stream_options();
  options.size = 0;
  EXPECT_STATUS(QUIRE_USAGE, quire_write_stream(file, 0, 1, first));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_stream(file, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_stream(file, &options, &number));
  EXPECT_STATUS(QUIRE_USAGE, quire_commit(file));
  close_and_free(test, file);
}

static void writes_streams(context* test) {
  refuses_wrong_pieces(test);
  writes_at_once(test);
  quire_file* file = create_step(test);
  put_pieces(test, file);
  EXPECT_TRUE(commit_and_close(test, file, __LINE__));
  file = open_step(test);
  reads_pieces(test, file);
  refuses_wrong_streams(test, file);
  close_and_free(test, file);
  ++test->with_streams;
}

/* Streams of records, where an option of the writer asks for them. */
static void writes_records(context* test) {
  const char* const settings[] = {"keys=true", NULL};
  quire_file* file = NULL;
  uint64_t number = 0;
  quire_stream_options options = quire_default_stream_options();
  quire_record record;
  char read[sizeof second];
  uint64_t count = 0;
  const quire_status status = create_with(test, settings, &file);
  if (status != QUIRE_OK) {
    quire_free(file);
    return;
  }
  options.rank = test->rank;
  options.chunk_bytes = chunk;
  EXPECT_OK(quire_step(file, 0));
  EXPECT_OK(quire_add_stream(file, &options, &number));
  EXPECT_OK(quire_write_record(file, number, 11, sizeof first, first));
  EXPECT_OK(quire_write_record(file, number, 22, sizeof second, second));
  EXPECT_TRUE(commit_and_close(test, file, __LINE__));
  file = open_step(test);
  EXPECT_OK(quire_find_streams_all(file, 1, &(int64_t){test->rank}, QUIRE_BY_RANK));
  EXPECT_OK(quire_get_record(file, 0, 0, &record, sizeof record));
  EXPECT_TRUE(record.key == 11 && record.bytes == sizeof first);
  EXPECT_OK(quire_get_record(file, 0, record.offset + record.bytes, &record, sizeof record));
  EXPECT_OK(quire_read_stream(file, 0, record.offset, record.bytes, read, &count));
  EXPECT_TRUE(record.key == 22 && count == sizeof second && memcmp(read, second, sizeof second) == 0);
  EXPECT_STATUS(QUIRE_MISSING, quire_get_record(file, 0, record.offset + record.bytes, &record, sizeof record));
  close_and_free(test, file);
  ++test->with_records;
}

void writes_and_reads_streams(context* test) {
  quire_file* const file = NULL;
  (void)file;
  for_formats(test, "streams", quire_format_holds_streams, writes_streams);
  for_formats(test, "records", quire_format_holds_streams, writes_records);
  EXPECT_TRUE(test->with_streams > 0 && test->with_records > 0);
}
