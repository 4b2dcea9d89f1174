#include "quire/capi/files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "comm/agreement.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

/// Begins what belongs to one step.
void begin_step(quire_file& file) {
  file.chosen = {};
  file.pending = {};
  file.texts = {};
  file.elements.reset();
  file.streams_read.clear();
}

void select(quire_file& file, std::optional<quire::ReadStep> step, const char* what) {
  if (!step) throw Error(ErrorKind::missing, what);
  file.read_step = std::move(step);
  begin_step(file);
}

/// Collective. The reader, once all ranks have memory for numbers of steps.
quire::Reader& reader_of_numbers(quire_file& file, uint64_t capacity, int64_t* numbers, uint64_t* count) {
  quire::Reader& reader = reader_of(file);
  reader.synchronize();
  quire::agree(reader.comm(), quire::caught([&] {
                 static_cast<void>(list(numbers, capacity, "the numbers"));
                 place(count, "the count") = 0;
               }));
  return reader;
}

void return_numbers(const std::vector<std::int64_t>& all, uint64_t capacity, int64_t* numbers, uint64_t* count) {
  *count = all.size();
  std::copy_n(all.begin(), std::min<std::uint64_t>(capacity, all.size()), numbers);
}

/// The error of this rank's arguments in a collective call, which all ranks throw.
std::optional<Error> refusal(const char* name, const void* values, uint64_t bytes) {
  return quire::caught([&] {
    static_cast<void>(not_null(name, "the name of the attachment"));
    if (values == nullptr && bytes > 0) throw usage("the bytes are a null pointer");
  });
}

}  // namespace

extern "C" {

quire_status quire_create(const char* path, const quire_options* options, quire_file** file) {
  return create(path, only_process, options, file);
}

quire_status quire_write_file(const char* path, int64_t number, quire_fill fill, void* data,
                              const quire_options* options, quire_file** file) {
  return write_file(path, number, fill, data, only_process, options, file);
}

quire_status quire_append(const char* path, const int64_t* after, int drop_later, const quire_options* options,
                          quire_file** file) {
  return append(path, after, drop_later != 0, only_process, options, file);
}

quire_status quire_open(const char* path, const quire_options* options, quire_file** file) {
  return open(path, only_process, options, file);
}

quire_status quire_close(quire_file* file) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    if (!file->writer && !file->reader && !file->lock) throw usage("the file is not open");
    file->lock.reset();
    file->write_step.reset();
    file->read_step.reset();
    begin_step(*file);
    if (auto reader = std::exchange(file->reader, std::nullopt)) {
      file->spent = spent_by(*reader);
      reader->close();
    }
    if (auto writer = std::exchange(file->writer, std::nullopt)) {
      file->spent = spent_by(*writer);
      writer->close();
      file->spent = spent_by(*writer);
    }
  });
}

quire_status quire_abort_file(quire_file* file, const char* reason) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    static_cast<void>(writer_of(*file));
    quire::Writer writer = *std::exchange(file->writer, std::nullopt);
    const auto step = std::exchange(file->write_step, std::nullopt);  // ends after the file has the reason
    begin_step(*file);
    writer.abort(reason != nullptr ? reason : "no reason given");
  });
}

void quire_free(quire_file* file) {
  if (file != nullptr && file->is_filling) return;  // quire_write_file() still uses it
  const std::unique_ptr<quire_file> mine(file);
}

quire_status quire_set_title(quire_file* file, const char* title, const char* contents) {
  return guarded_in_step(file, [&] { writer_of(*file).describe(text_or_empty(title), text_or_empty(contents)); });
}

quire_status quire_step(quire_file* file, int64_t number) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    if (file->reader) return select(*file, file->reader->step(number), "");
    file->write_step = writer_of(*file).step(number);
    begin_step(*file);
  });
}

quire_status quire_step_at(quire_file* file, uint64_t index) {
  return guarded(file, [&] { select(*file, reader_of(*file).try_at(index), "the file has no step at this place"); });
}

quire_status quire_step_declared(quire_file* file) {
  return guarded(file,
                 [&] { select(*file, reader_of(*file).declared(), "the file declares nothing about its steps"); });
}

quire_status quire_step_salvaged(quire_file* file, uint64_t index) {
  return guarded(file, [&] { select(*file, reader_of(*file).salvage(index), "no rows of the step can be recovered"); });
}

quire_status quire_steps(quire_file* file, uint64_t capacity, int64_t* numbers, uint64_t* count) {
  return guarded(file, [&] {
    return_numbers(reader_of_numbers(*file, capacity, numbers, count).numbers(), capacity, numbers, count);
  });
}

quire_status quire_steps_from(quire_file* file, uint64_t first, uint64_t capacity, int64_t* numbers, uint64_t* count) {
  return guarded(file, [&] {
    return_numbers(reader_of_numbers(*file, capacity, numbers, count).numbers(first, capacity), capacity, numbers,
                   count);
  });
}

quire_status quire_get_step(quire_file* file, int64_t* number) {
  return guarded(file, [&] { place(number, "the number") = chosen_step(*file).number(); });
}

quire_status quire_attach(quire_file* file, const char* name, uint64_t bytes, const void* values, int replace) {
  return guarded(file, [&] {
    quire::Writer& writer = writer_of(*file);
    const bool is_source = writer.comm().is_root();
    const std::span all(static_cast<const std::byte*>(values), is_source && values != nullptr ? bytes : 0);
    const auto refused = refusal(name, values, is_source ? bytes : 0);
    writer.attach(text_or_empty(name), all, replace != 0, refused);
  });
}

quire_status quire_detach(quire_file* file, const char* name) {
  return guarded(file, [&] { writer_of(*file).detach(text_or_empty(name), refusal(name, nullptr, 0)); });
}

quire_status quire_read_attachment(quire_file* file, const char* name, uint64_t offset, uint64_t bytes, void* values) {
  return guarded(file, [&] {
    const std::string attachment = not_null(name, "the name of the attachment");
    if (values == nullptr && bytes > 0) throw usage("the memory is a null pointer");
    reader_of(*file).read_attachment(attachment, offset, {static_cast<std::byte*>(values), bytes});
  });
}

}  // extern "C"
