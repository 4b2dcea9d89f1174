#ifndef QUIRE_CAPI_STREAMS_H
#define QUIRE_CAPI_STREAMS_H

/* Streams: the bytes of one task. Programs include quire/quire.h. */

#include <string.h>

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// The properties of a stream to be written: quire_default_stream_options(), then members by name.
typedef struct quire_stream_options {
  uint64_t size;         ///< of the structure
  int64_t rank;          ///< the number of its task; no two streams have the same
  uint64_t chunk_bytes;  ///< capacity of each chunk; 0: one chunk, whose pieces are known before the step is placed
  int64_t file;          ///< one of several physical files; negative: by the file's options
  int64_t index;         ///< its index in that file; negative: in the order of the tasks
} quire_stream_options;

/// How streams are identified.
typedef enum quire_streams_by QUIRE_ENUM {
  QUIRE_BY_RANK = 0,  ///< by the task that wrote it
  QUIRE_BY_INDEX = 1  ///< by its index among the streams of the step
} quire_streams_by;

/// A stream that is read.
typedef struct quire_stream_info {
  int64_t rank;          ///< of the task that wrote it
  uint64_t index;        ///< among the streams of the step
  uint64_t bytes;        ///< in all
  uint64_t file;         ///< the physical file of several
  uint64_t file_index;   ///< its index there
  uint64_t chunk_bytes;  ///< space that the file reserves for a chunk
  uint64_t chunks;       ///< their number
  int is_big_endian;     ///< the byte order of the numbers inside, as recorded by the writer; they are not swapped
  int has_records;       ///< it is a sequence of records: quire_get_record()
} quire_stream_info;

/// One record of a stream of records.
typedef struct quire_record {
  uint64_t key;
  uint64_t offset;  ///< of its bytes in the stream
  uint64_t bytes;   ///< the next record is stored at `offset` + `bytes`
} quire_record;

// NOLINTEND(modernize-use-using)

/// Independent. Options of a stream of task 0 in one chunk.
static inline quire_stream_options quire_default_stream_options(void) {
  quire_stream_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.file = -1;
  options.index = -1;
  return options;
}

/// Independent, writing only. Another stream of this rank in the step: a rank writes any number of them, or none.
/// Before quire_open_step() its pieces are only measured, and must stay valid until the commit; afterwards each is
/// written at once.
/// @param stream receives its number on this rank, from 0 on, for the calls below, until the step ends
QUIRE_EXPORT quire_status quire_add_stream(quire_file* file, const quire_stream_options* options, uint64_t* stream);

/// Independent, writing only. A piece, which stays together in one chunk.
QUIRE_EXPORT quire_status quire_write_stream(quire_file* file, uint64_t stream, uint64_t bytes, const void* values);

/// Independent, writing only, but every task of a group makes the same number of these calls, with 0 bytes if it has
/// none: a piece that is written together with those of others.
QUIRE_EXPORT quire_status quire_write_stream_together(quire_file* file, uint64_t stream, uint64_t bytes,
                                                      const void* values);

/// Independent, writing only. A record, in a file with streams of records; it may cross the ends of chunks.
QUIRE_EXPORT quire_status quire_write_record(quire_file* file, uint64_t stream, uint64_t key, uint64_t bytes,
                                             const void* values);

/// Independent, writing only. Starts a new chunk with the next piece unless so many bytes fit into the current one.
QUIRE_EXPORT quire_status quire_ensure_space(quire_file* file, uint64_t stream, uint64_t bytes);

/// Independent, writing only. Free space in the current chunk, after quire_open_step().
QUIRE_EXPORT quire_status quire_get_space(quire_file* file, uint64_t stream, uint64_t* bytes);

/// Independent. Bytes of a stream, when writing of all pieces so far.
QUIRE_EXPORT quire_status quire_get_stream_size(quire_file* file, uint64_t stream, uint64_t* bytes);

/// Independent, reading only. The number of streams of the selected step.
QUIRE_EXPORT quire_status quire_count_streams(quire_file* file, uint64_t* count);

/// Collective, reading only. The streams that this rank reads, any number of them: their numbers in the calls below are
/// their places in the list, until the next call of this function or the next step. Missing errors, on every rank, if
/// one does not exist.
QUIRE_EXPORT quire_status quire_find_streams_all(quire_file* file, uint64_t count, const int64_t* wanted,
                                                 quire_streams_by by);

/// Independent, reading only. A stream.
/// @param size sizeof(quire_stream_info)
QUIRE_EXPORT quire_status quire_get_stream_info(quire_file* file, uint64_t stream, quire_stream_info* info,
                                                uint64_t size);

/// Independent, reading only. Where the used part of a chunk of a stream, from 0 on, is stored.
QUIRE_EXPORT quire_status quire_get_stream_chunk(quire_file* file, uint64_t stream, uint64_t chunk, uint64_t* offset,
                                                 uint64_t* bytes);

/// Independent, reading only. Bytes from a position of a stream on, across the ends of chunks.
/// @param bytes number of bytes wanted
/// @param count receives how many were read, fewer only at the end of the stream
QUIRE_EXPORT quire_status quire_read_stream(quire_file* file, uint64_t stream, uint64_t position, uint64_t bytes,
                                            void* values, uint64_t* count);

/// Independent, reading only. The record whose head is stored at a position of a stream; a missing error at its end.
/// @param size sizeof(quire_record)
QUIRE_EXPORT quire_status quire_get_record(quire_file* file, uint64_t stream, uint64_t position, quire_record* record,
                                           uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
