#include "fortran/handle.hpp"

#include <new>
#include <stdexcept>

namespace quire::fortran {

void require(const File& file, quire_status status) {
  if (status != QUIRE_OK) throw Failure{status, quire_error_message(file.file)};
}

quire_status guarded(File* file, const std::function<void(File&)>& action) noexcept {
  if (file == nullptr) return QUIRE_USAGE;
  try {
    try {
      action(*file);
      return QUIRE_OK;
    } catch (const Failure& failure) {
      file->message = failure.message;
      return failure.status;
    } catch (const std::invalid_argument& wrong) {
      file->message = std::string("usage error: ") + wrong.what();
      return QUIRE_USAGE;
    }
  } catch (const std::bad_alloc&) {
    file->message.clear();
    return QUIRE_MEMORY;
  } catch (...) {
    file->message.clear();
    return QUIRE_INTERNAL;
  }
}

quire_status guarded_in_step(File* file, const std::function<void(File&)>& action) noexcept {
  return guarded(file, [&](File& checked) {
    try {
      action(checked);
    } catch (const std::invalid_argument& wrong) {
      if (checked.is_in_step && checked.refused.empty()) checked.refused = wrong.what();
      throw;
    }
  });
}

const void* values_to_write(File& file, const Array& array, const std::string& what, bool copies) {
  if (!copies && !array.has_contiguous_columns()) {
    throw std::invalid_argument(what +
                                " is not contiguous along its first dimension: pass it to put_copy or "
                                "put_field_copy, or make it contiguous");
  }
  if (!copies && array.is_contiguous()) return array.data();
  file.copies.push_back(std::make_unique_for_overwrite<std::byte[]>(array.bytes()));
  file.copied += array.bytes();
  array.copy_to(file.copies.back().get());
  return file.copies.back().get();
}

std::uint64_t stream_at(const File& file, std::int64_t number) {
  if (number >= 1 && static_cast<std::uint64_t>(number) <= file.streams) return static_cast<std::uint64_t>(number) - 1;
  throw std::invalid_argument("this rank has no stream " + std::to_string(number) + " in the step: it has " +
                              std::to_string(file.streams));
}

void end_step(File& file) noexcept {
  file.table.clear();
  file.rows.clear();
  file.streams = 0;
  file.copies.clear();
  file.refused.clear();
  file.is_in_step = false;
}

}  // namespace quire::fortran
