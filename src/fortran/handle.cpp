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

const void* values_to_write(File& file, const Array& array, const std::string& what, Layout layout, Copies& copies) {
  if (layout == Layout::columns && !array.has_contiguous_columns()) {
    throw std::invalid_argument(what +
                                " is not contiguous along its first dimension: pass it to put_copy or "
                                "put_field_copy, or make it contiguous");
  }
  if (layout != Layout::copied && array.is_contiguous()) return array.data();
  copies.push_back(std::make_unique_for_overwrite<std::byte[]>(array.bytes()));
  file.copied += array.bytes();
  array.copy_to(copies.back().get());
  return copies.back().get();
}

std::vector<const void*> components_to_write(File& file, std::span<const CFI_cdesc_t* const> components,
                                             const std::string& what, Layout layout, Copies& copies) {
  const Array first(*components.front(), what);
  std::vector<const void*> values;
  for (const CFI_cdesc_t* component : components) {
    if (component == nullptr) continue;
    const Array array(*component, what);
    if (array.shape() != first.shape() || array.type() != first.type()) {
      throw std::invalid_argument("the components of " + what + " differ in type or shape");
    }
    values.push_back(values_to_write(file, array, what, layout, copies));
  }
  return values;
}

void drop_refused_step(File& file) {
  const std::string refused = file.refused;
  const quire_status status = quire_abort(file.file, refused.c_str());
  end_step(file);
  require(file, status);
  throw std::invalid_argument(refused);
}

void end_step(File& file) noexcept {
  if (!file.owned) return;
  file.table.clear();
  file.rows.clear();
  file.copies.clear();
  file.refused.clear();
  file.declared_columns.clear();
  file.declared_fields.clear();
  file.parts.clear();
  file.coordinates.clear();
  file.has_chosen_rows = false;
  file.streams.clear();
  file.is_in_step = false;
  file.is_placed = false;
}

}  // namespace quire::fortran
