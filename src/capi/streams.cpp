#include "quire/capi/streams.h"

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

quire::StreamOptions options_of(const quire_stream_options* given) {
  const quire_stream_options known =
      given != nullptr ? known_members(given, "quire_default_stream_options") : quire_default_stream_options();
  quire::StreamOptions options;
  options.rank = known.rank;
  if (known.chunk_bytes != 0) options.chunk_bytes = known.chunk_bytes;
  if (known.file >= 0) options.file = static_cast<std::uint64_t>(known.file);
  if (known.index >= 0) options.index = static_cast<std::uint64_t>(known.index);
  return options;
}

template <class Stream>
Stream& among(std::vector<Stream>& streams, uint64_t stream) {
  if (stream < streams.size()) return streams[stream];
  throw usage("this rank has no stream of number " + std::to_string(stream));
}

quire::StreamWriter& written(quire_file& file, uint64_t stream) {
  static_cast<void>(open_step(file));
  return among(file.pending.streams, stream);
}

quire::StreamReader& read(quire_file& file, uint64_t stream) {
  static_cast<void>(chosen_step(file));
  return among(file.streams_read, stream);
}

std::span<const std::byte> piece(const void* values, uint64_t bytes) {
  return list(static_cast<const std::byte*>(values), bytes, "the bytes");
}

}  // namespace

extern "C" {

quire_status quire_add_stream(quire_file* file, const quire_stream_options* options, uint64_t* stream) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    place(stream, "the number of the stream") = file->pending.streams.size();
    file->pending.streams.push_back(step.stream(options_of(options)));
  });
}

quire_status quire_write_stream(quire_file* file, uint64_t stream, uint64_t bytes, const void* values) {
  return guarded_in_step(file, [&] { written(*file, stream).write(piece(values, bytes)); });
}

quire_status quire_write_stream_together(quire_file* file, uint64_t stream, uint64_t bytes, const void* values) {
  return guarded_in_step(file, [&] { written(*file, stream).write_together(piece(values, bytes)); });
}

quire_status quire_write_record(quire_file* file, uint64_t stream, uint64_t key, uint64_t bytes, const void* values) {
  return guarded_in_step(file, [&] { written(*file, stream).write_record(key, piece(values, bytes)); });
}

quire_status quire_ensure_space(quire_file* file, uint64_t stream, uint64_t bytes) {
  return guarded_in_step(file, [&] { written(*file, stream).ensure_space(bytes); });
}

quire_status quire_get_space(quire_file* file, uint64_t stream, uint64_t* bytes) {
  return guarded(file, [&] { place(bytes, "the result") = written(*file, stream).left_in_chunk(); });
}

quire_status quire_get_stream_size(quire_file* file, uint64_t stream, uint64_t* bytes) {
  return guarded(file, [&] {
    place(bytes, "the result") = file->writer ? written(*file, stream).size() : read(*file, stream).size();
  });
}

quire_status quire_count_streams(quire_file* file, uint64_t* count) {
  return guarded(file, [&] { place(count, "the count") = chosen_step(*file).description().streams; });
}

quire_status quire_find_streams_all(quire_file* file, uint64_t count, const int64_t* wanted, quire_streams_by by) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    file->streams_read.clear();
    std::vector<std::int64_t> mine;
    const auto refusal = quire::caught([&] {
      if (by != QUIRE_BY_RANK && by != QUIRE_BY_INDEX) throw usage("streams are found by rank or by index");
      mine = copy_of(wanted, count, "the list of streams");
    });
    const auto kind = by == QUIRE_BY_INDEX ? quire::StreamsBy::index : quire::StreamsBy::rank;
    file->streams_read = step.streams(mine, kind, refusal);
  });
}

quire_status quire_get_stream_info(quire_file* file, uint64_t stream, quire_stream_info* info, uint64_t size) {
  return guarded(file, [&] {
    const quire::StreamLayout& layout = read(*file, stream).layout();
    quire_stream_info known = {};
    known.rank = layout.rank;
    known.index = layout.index;
    known.bytes = layout.bytes();
    known.file = layout.file;
    known.file_index = layout.file_index;
    known.chunk_bytes = layout.chunk_bytes;
    known.chunks = layout.chunks.size();
    known.is_big_endian = layout.order == quire::ByteOrder::big ? 1 : 0;
    known.has_records = layout.records ? 1 : 0;
    fill_in(known, info, size);
  });
}

quire_status quire_get_stream_chunk(quire_file* file, uint64_t stream, uint64_t chunk, uint64_t* offset,
                                    uint64_t* bytes) {
  return guarded(file, [&] {
    const auto& chunks = read(*file, stream).layout().chunks;
    if (chunk >= chunks.size()) throw Error(ErrorKind::missing, "the stream has no such chunk");
    place(offset, "the offset") = chunks[chunk].offset;
    place(bytes, "the number of bytes") = chunks[chunk].length;
  });
}

quire_status quire_read_stream(quire_file* file, uint64_t stream, uint64_t position, uint64_t bytes, void* values,
                               uint64_t* count) {
  return guarded(file, [&] {
    const quire::StreamReader& from = read(*file, stream);
    if (values == nullptr && bytes > 0) throw usage("the memory is a null pointer");
    place(count, "the count") = from.read_at(position, {static_cast<std::byte*>(values), bytes});
  });
}

quire_status quire_get_record(quire_file* file, uint64_t stream, uint64_t position, quire_record* record,
                              uint64_t size) {
  return guarded(file, [&] {
    const auto found = read(*file, stream).record_at(position);
    if (!found) throw Error(ErrorKind::missing, "the stream ends here");
    fill_in(quire_record{found->key, found->offset, found->bytes}, record, size);
  });
}

}  // extern "C"
