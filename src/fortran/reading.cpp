#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <stdexcept>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::require;

/// Memory for values that are read: an array, or contiguous memory that is copied to it afterwards.
class Target {
 public:
  Target(const CFI_cdesc_t& descriptor, const std::string& what) : array_(descriptor, what) {
    if (!array_.is_contiguous()) packed_ = std::make_unique_for_overwrite<std::byte[]>(array_.bytes());
  }
  [[nodiscard]] const Array& array() const noexcept { return array_; }
  [[nodiscard]] void* data() const noexcept { return packed_ ? packed_.get() : array_.data(); }
  void finish(File& file) const {
    if (!packed_) return;
    array_.copy_from(packed_.get());
    file.copied += array_.bytes();
  }

 private:
  Array array_;
  std::unique_ptr<std::byte[]> packed_;
};

using ReadColumn = quire_status (*)(quire_file*, const char*, quire_type, std::uint64_t, std::uint64_t, void*);
using ReadField = quire_status (*)(quire_file*, const char*, quire_type, std::uint64_t, void* const*);

void read_column(File& file, const char* column, const CFI_cdesc_t& values, const CFI_cdesc_t* first, ReadColumn read) {
  const Target target(values, "the array for the column " + std::string(column));
  auto row = quire::fortran::positions_of(first, "first");
  if (first == nullptr) row = {0};
  if (row.size() != 1) throw std::invalid_argument("first is not one row");
  require(file, read(file.file, column, target.array().type(), row.front(), target.array().count(), target.data()));
  target.finish(file);
}

void read_field(File& file, const char* field, std::span<const CFI_cdesc_t* const> values, const CFI_cdesc_t* start,
                ReadField read) {
  std::vector<Target> targets;
  std::vector<void*> data;
  for (const CFI_cdesc_t* component : values) {
    if (component == nullptr) continue;
    const Target& target = targets.emplace_back(*component, "the array for the field " + std::string(field));
    data.push_back(target.data());
    if (target.array().shape() != targets.front().array().shape() ||
        target.array().type() != targets.front().array().type()) {
      throw std::invalid_argument("the arrays for the components differ in type or shape");
    }
  }
  const Array& array = targets.front().array();
  const std::vector<std::uint64_t> count = array.shape();
  auto first = quire::fortran::positions_of(start, "an element of start");
  std::ranges::reverse(first);
  if (start == nullptr) first.assign(count.size(), 0);
  if (first.size() != count.size()) {
    throw std::invalid_argument("start has as many elements as the array has dimensions, here " +
                                std::to_string(count.size()));
  }
  require(file, quire_set_box(file.file, count.size(), nullptr, first.data(), count.data()));
  require(file, read(file.file, field, array.type(), data.size(), data.data()));
  for (const Target& target : targets) target.finish(file);
}

/// Runs `action`; if it refuses its arguments, calls `take_part`, which makes a collective call fail on all ranks,
/// before the error is raised.
void with_others(bool is_collective, const std::function<void()>& action, const std::function<void()>& take_part) {
  try {
    action();
  } catch (const std::invalid_argument&) {
    if (is_collective) take_part();
    throw;
  }
}

}  // namespace

extern "C" {

quire_status quire_fortran_select_step(File* file, const CFI_cdesc_t* number) {
  return guarded(file, [&](File& open) {
    require(open, quire_step(open.file, quire::fortran::integer_of(number, "the number of the step")));
  });
}

quire_status quire_fortran_steps(File* file, std::uint64_t capacity, std::int64_t* numbers, std::uint64_t* count) {
  return guarded(file, [&](File& open) { require(open, quire_steps(open.file, capacity, numbers, count)); });
}

quire_status quire_fortran_get(File* file, const char* name, const CFI_cdesc_t* values, std::uint64_t* count) {
  return guarded(file, [&](File& open) {
    const Array array(*values, "the variable for " + std::string(name));
    std::vector<std::byte> packed(array.bytes());
    array.copy_to(packed.data());  // what the attribute does not fill stays
    require(open, quire_get(open.file, name, array.type(), array.count(), packed.data(), count));
    array.copy_from(packed.data());
  });
}

/// @param text receives the text, valid until the next call
quire_status quire_fortran_get_text(File* file, const char* name, const char** text, std::uint64_t* length) {
  return guarded(file, [&](File& open) {
    open.text.assign(1, '\0');
    // The length is also received if the text is longer than the memory.
    const quire_status status = quire_get_text(open.file, name, open.text.size(), open.text.data(), length);
    if (status == QUIRE_USAGE && *length >= open.text.size()) {
      open.text.assign(*length + 1, '\0');
      require(open, quire_get_text(open.file, name, open.text.size(), open.text.data(), length));
    } else {
      require(open, status);
    }
    *text = open.text.data();
  });
}

quire_status quire_fortran_rows(File* file, std::uint64_t* rows) {
  return guarded(file, [&](File& open) { require(open, quire_get_rows(open.file, rows)); });
}

quire_status quire_fortran_select_table(File* file, const char* name) {
  return guarded(file, [&](File& open) { require(open, quire_table(open.file, name)); });
}

/// @param extents of a field in Fortran's order
quire_status quire_fortran_extents(File* file, const char* field, std::uint64_t capacity, std::uint64_t* extents,
                                   std::uint64_t* axes, std::uint64_t* components) {
  return guarded(file, [&](File& open) {
    const quire_status status = quire_get_extents(open.file, field, capacity, extents, axes, components);
    if (status == QUIRE_USAGE && capacity == 0 && *axes > 0) return;  // the number of axes was asked for
    require(open, status);
    std::reverse(extents, extents + *axes);
  });
}

quire_status quire_fortran_read(File* file, const char* column, const CFI_cdesc_t* values, const CFI_cdesc_t* first,
                                int all) {
  return guarded(file, [&](File& open) {
    const auto take_part = [&] { static_cast<void>(quire_read_all(open.file, nullptr, QUIRE_INT8, 0, 0, nullptr)); };
    with_others(
        all != 0, [&] { read_column(open, column, *values, first, all != 0 ? &quire_read_all : &quire_read); },
        take_part);
  });
}

quire_status quire_fortran_read_field(File* file, const char* field, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                      const CFI_cdesc_t* z, const CFI_cdesc_t* start, int all) {
  return guarded(file, [&](File& open) {
    const std::array<const CFI_cdesc_t*, 3> components{x, y, z};
    const auto take_part = [&] { static_cast<void>(quire_read_field_all(open.file, nullptr, QUIRE_INT8, 0, nullptr)); };
    with_others(
        all != 0,
        [&] { read_field(open, field, components, start, all != 0 ? &quire_read_field_all : &quire_read_field); },
        take_part);
  });
}

}  // extern "C"
