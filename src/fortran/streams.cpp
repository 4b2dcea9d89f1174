// Streams, and positions in them, count from 0 in the C interface and from 1 in Fortran.

#include <stdexcept>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::Failure;
using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::guarded_in_step;
using quire::fortran::require;
using quire::fortran::StreamPlace;

std::uint64_t number_of(int stream) {
  if (stream < 1) throw std::invalid_argument("streams count from 1");
  return static_cast<std::uint64_t>(stream) - 1;
}

/// Where a stream that was found is read next.
StreamPlace& place_of(File& file, int stream) {
  const std::uint64_t number = number_of(stream);
  if (number >= file.streams.size()) {
    throw std::invalid_argument("there is no stream " + std::to_string(stream) + ": quire_find_streams_all found " +
                                std::to_string(file.streams.size()));
  }
  return file.streams[number];
}

/// A number that counts from 1; -1 for an absent one.
std::int64_t choice_of(const CFI_cdesc_t* number, const std::string& what) {
  if (number == nullptr) return -1;
  const auto place = quire::fortran::positions_of(number, what);
  if (place.size() != 1) throw std::invalid_argument(what + " is not one integer");
  return static_cast<std::int64_t>(place.front());
}

/// The bytes of a piece. Those of a step that is not placed yet are written by the commit, so they are copied.
const void* bytes_of(File& file, const Array& array, quire::fortran::Copies& until_written) {
  const auto layout = file.is_placed ? quire::fortran::Layout::any : quire::fortran::Layout::copied;
  return quire::fortran::values_to_write(file, array, "the piece", layout,
                                         file.is_placed ? until_written : file.copies);
}

}  // namespace

extern "C" {

/// @param chunk_bytes null: one chunk
/// @param physical the file of several, and
/// @param index in it, from 1 on; null: by default
quire_status quire_fortran_add_stream(File* file, const CFI_cdesc_t* task, const CFI_cdesc_t* chunk_bytes,
                                      const CFI_cdesc_t* physical, const CFI_cdesc_t* index, int* stream) {
  return guarded_in_step(file, [&](File& open) {
    quire_stream_options options = quire_default_stream_options();
    options.rank = quire::fortran::integer_of(task, "the number of the task");
    if (chunk_bytes != nullptr) options.chunk_bytes = quire::fortran::natural_of(chunk_bytes, "chunk_bytes");
    options.file = choice_of(physical, "file");
    options.index = choice_of(index, "index");
    std::uint64_t number = 0;
    require(open, quire_add_stream(open.file, &options, &number));
    *stream = static_cast<int>(number) + 1;
  });
}

quire_status quire_fortran_write_stream(File* file, int stream, const CFI_cdesc_t* values, int together) {
  return guarded_in_step(file, [&](File& open) {
    const Array array(*values, "the piece");
    quire::fortran::Copies copies;
    const void* bytes = bytes_of(open, array, copies);
    const auto write = together != 0 ? &quire_write_stream_together : &quire_write_stream;
    require(open, write(open.file, number_of(stream), array.bytes(), bytes));
  });
}

quire_status quire_fortran_write_record(File* file, int stream, const CFI_cdesc_t* key, const CFI_cdesc_t* values) {
  return guarded_in_step(file, [&](File& open) {
    const Array array(*values, "the record");
    const auto number = static_cast<std::uint64_t>(quire::fortran::integer_of(key, "the key"));
    quire::fortran::Copies copies;
    const void* bytes = bytes_of(open, array, copies);
    require(open, quire_write_record(open.file, number_of(stream), number, array.bytes(), bytes));
  });
}

quire_status quire_fortran_ensure_space(File* file, int stream, const CFI_cdesc_t* bytes) {
  return guarded_in_step(file, [&](File& open) {
    const std::uint64_t needed = quire::fortran::natural_of(bytes, "the number of bytes");
    require(open, quire_ensure_space(open.file, number_of(stream), needed));
  });
}

quire_status quire_fortran_space(File* file, int stream, std::uint64_t* bytes) {
  return guarded(file, [&](File& open) { require(open, quire_get_space(open.file, number_of(stream), bytes)); });
}

quire_status quire_fortran_stream_size(File* file, int stream, std::uint64_t* bytes) {
  return guarded(file, [&](File& open) { require(open, quire_get_stream_size(open.file, number_of(stream), bytes)); });
}

quire_status quire_fortran_count_streams(File* file, std::uint64_t* count) {
  return guarded(file, [&](File& open) { require(open, quire_count_streams(open.file, count)); });
}

/// @param by_index whether `wanted` are indices, from 0 on, and not tasks
quire_status quire_fortran_find_streams_all(File* file, std::uint64_t count, const std::int64_t* wanted, int by_index) {
  return guarded(file, [&](File& open) {
    open.streams.clear();
    const quire_streams_by by = by_index != 0 ? QUIRE_BY_INDEX : QUIRE_BY_RANK;
    require(open, quire_find_streams_all(open.file, count, wanted, by));
    open.streams.resize(count);
  });
}

quire_status quire_fortran_stream_info(File* file, int stream, quire_stream_info* info, std::uint64_t size) {
  return guarded(file,
                 [&](File& open) { require(open, quire_get_stream_info(open.file, number_of(stream), info, size)); });
}

/// Fills `values` from a position on, by default after the last value that was read.
/// @param bytes receives the number of bytes, fewer only at the end; null: then the call fails
quire_status quire_fortran_read_stream(File* file, int stream, const CFI_cdesc_t* values, const CFI_cdesc_t* position,
                                       std::uint64_t* bytes) {
  return guarded(file, [&](File& open) {
    StreamPlace& place = place_of(open, stream);
    const Array array(*values, "the array for the stream");
    std::uint64_t first = place.position;
    if (position != nullptr) first = static_cast<std::uint64_t>(choice_of(position, "the position"));
    std::vector<std::byte> packed(array.bytes());
    array.copy_to(packed.data());  // what the stream does not fill stays
    std::uint64_t count = 0;
    require(open, quire_read_stream(open.file, number_of(stream), first, packed.size(), packed.data(), &count));
    if (bytes == nullptr && count < packed.size()) {
      throw Failure{QUIRE_MISSING, "missing error: the stream ends " + std::to_string(packed.size() - count) +
                                       " bytes before the end of the array"};
    }
    array.copy_from(packed.data());
    place.position = first + count;
    if (bytes != nullptr) *bytes = count;
  });
}

/// The next record of a stream; its bytes are read next.
quire_status quire_fortran_next_record(File* file, int stream, std::int64_t* key, std::uint64_t* bytes) {
  return guarded(file, [&](File& open) {
    StreamPlace& place = place_of(open, stream);
    quire_record record;
    require(open, quire_get_record(open.file, number_of(stream), place.next_record, &record, sizeof record));
    *key = static_cast<std::int64_t>(record.key);
    *bytes = record.bytes;
    place.position = record.offset;
    place.next_record = record.offset + record.bytes;
  });
}

}  // extern "C"
