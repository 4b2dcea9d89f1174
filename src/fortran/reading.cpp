#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::Failure;
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

std::uint64_t first_row(const CFI_cdesc_t* first) {
  if (first == nullptr) return 0;
  const auto row = quire::fortran::positions_of(first, "first");
  if (row.size() != 1) throw std::invalid_argument("first is not one row");
  return row.front();
}

/// Fills an array of texts, with blanks at their ends. Throws a Failure if one is longer than the elements.
void copy_texts(const Array& array, const quire_texts& texts, const std::string& what) {
  std::vector<char> packed(array.bytes(), ' ');
  for (std::uint64_t i = 0; i < array.count(); ++i) {
    const std::uint64_t length = quire_text_length(&texts, i);
    if (length > array.element_size()) {
      throw Failure{QUIRE_TYPE, "type error: a text of " + what + " has " + std::to_string(length) +
                                    " characters, the elements of the array " + std::to_string(array.element_size())};
    }
    std::copy_n(quire_text(&texts, i), length, packed.begin() + static_cast<std::ptrdiff_t>(i * array.element_size()));
  }
  array.copy_from(reinterpret_cast<const std::byte*>(packed.data()));
}

/// Refuses a collective read on this rank: all ranks get this error. A kind at the beginning of the message is not
/// repeated.
[[noreturn]] void refuse(const File& file, quire_status status, std::string_view message) {
  const std::string kind = std::string(quire_status_name(status)) + " error: ";
  if (message.starts_with(kind)) message.remove_prefix(kind.size());
  require(file, quire_refuse_read_all(file.file, status, std::string(message).c_str()));
  throw Failure{QUIRE_INTERNAL, "a refusal was not returned"};
}

/// What a rank does before its collective call: all ranks get its errors by that call.
void before_call(const File& file, bool is_collective, const std::function<void()>& action) {
  if (!is_collective) return action();
  try {
    return action();
  } catch (const Failure& failure) {
    refuse(file, failure.status, failure.message);
  } catch (const std::invalid_argument& wrong) {
    refuse(file, QUIRE_USAGE, wrong.what());
  } catch (const std::bad_alloc&) {
    refuse(file, QUIRE_MEMORY, "there is no memory for the values");
  }
}

/// The collective call of a rank that has read its texts.
void agree(const File& file, const char* column) {
  quire_texts* none = nullptr;
  const quire_status status = quire_read_texts_all(file.file, column, 0, 0, &none);
  quire_free_texts(none);
  require(file, status);
}

/// The rows that a call reads.
struct Rows {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool are_chosen = false;  ///< those that were chosen before
};

/// As many rows as the array has elements, from `first` on, or those that were chosen.
Rows rows_for(const File& file, const Array& array, const CFI_cdesc_t* first) {
  const Rows rows{first_row(first), array.count(), first == nullptr && file.has_chosen_rows};
  if (!rows.are_chosen) return rows;
  std::uint64_t chosen = 0;
  require(file, quire_get_chosen_rows(file.file, 0, nullptr, &chosen));
  if (chosen != rows.count) {
    throw std::invalid_argument("the array has " + std::to_string(rows.count) + " elements, but " +
                                std::to_string(chosen) + " rows were chosen");
  }
  return rows;
}

void read_texts(const File& file, const char* column, const Array& array, const Rows& rows) {
  quire_texts* texts = nullptr;
  const quire_type type = QUIRE_STRING;
  void* const place = &texts;
  const quire_status status = rows.are_chosen ? quire_read_columns(file.file, 1, &column, &type, &place)
                                              : quire_read_texts(file.file, column, rows.first, rows.count, &texts);
  const std::unique_ptr<quire_texts, void (*)(quire_texts*)> owned(texts, &quire_free_texts);
  require(file, status);
  copy_texts(array, *texts, "the column \"" + std::string(column) + "\"");
}

quire_status read_numbers(const File& file, const char* column, const Target& target, const Rows& rows, bool all) {
  const quire_type type = target.array().type();
  void* const place = target.data();
  if (rows.are_chosen) {
    return (all ? &quire_read_columns_all : &quire_read_columns)(file.file, 1, &column, &type, &place);
  }
  return (all ? &quire_read_all : &quire_read)(file.file, column, type, rows.first, rows.count, place);
}

void read_column(File& file, const char* column, const CFI_cdesc_t& values, const CFI_cdesc_t* first, bool all) {
  const std::string what = "the array for the column " + std::string(column);
  Rows rows;
  std::optional<Target> target;  // of numbers
  before_call(file, all, [&] {
    const Array array(values, what);
    rows = rows_for(file, array, first);
    // The lengths of texts are known when they were read, so all ranks read theirs before they agree.
    if (array.type() == QUIRE_STRING) return read_texts(file, column, array, rows);
    target.emplace(values, what);
  });
  if (target) {
    require(file, read_numbers(file, column, *target, rows, all));
    target->finish(file);
  } else if (all) {
    agree(file, column);
  }
}

/// Formats of three axes store fewer with further, slowest axes of one element, which the array does not have.
void add_single_axes(quire::fortran::Elements& mine, const File& file, const char* field) {
  std::vector<std::uint64_t> extents(CFI_MAX_RANK);
  std::uint64_t axes = 0;
  // Errors are those of the call that reads.
  if (quire_get_extents(file.file, field, extents.size(), extents.data(), &axes, nullptr) != QUIRE_OK) return;
  const std::uint64_t more = axes > mine.count.size() ? axes - mine.count.size() : 0;
  if (std::any_of(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(more),
                  [](std::uint64_t extent) { return extent != 1; })) {
    return;
  }
  mine.start.insert(mine.start.begin(), more, 0);
  mine.stride.insert(mine.stride.begin(), more, 1);
  mine.count.insert(mine.count.begin(), more, 1);
}

void read_field(File& file, const char* field, std::span<const CFI_cdesc_t* const> values, const CFI_cdesc_t* start,
                const CFI_cdesc_t* stride, bool all) {
  std::vector<Target> targets;
  std::vector<void*> data;
  before_call(file, all, [&] {
    for (const CFI_cdesc_t* component : values) {
      if (component == nullptr) continue;
      const Target& target = targets.emplace_back(*component, "the array for the field " + std::string(field));
      data.push_back(target.data());
      if (target.array().shape() != targets.front().array().shape() ||
          target.array().type() != targets.front().array().type()) {
        throw std::invalid_argument("the arrays for the components differ in type or shape");
      }
    }
    quire::fortran::Elements mine(targets.front().array(), start, stride);
    add_single_axes(mine, file, field);
    require(file, quire_set_hyperslab(file.file, mine.count.size(), nullptr, mine.start.data(), mine.stride.data(),
                                      mine.count.data(), nullptr));
  });
  const auto read = all ? &quire_read_field_all : &quire_read_field;
  require(file, read(file.file, field, targets.front().array().type(), data.size(), data.data()));
  for (const Target& target : targets) target.finish(file);
}

}  // namespace

extern "C" {

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

/// @param count receives the number of texts of an attribute, which quire_fortran_take_texts() copies
/// @param longest receives the length of the longest one
quire_status quire_fortran_find_texts(File* file, const char* name, std::uint64_t* count, std::uint64_t* longest) {
  return guarded(file, [&](File& open) {
    quire_texts* texts = nullptr;
    const quire_status status = quire_get_texts(open.file, name, &texts);
    open.texts.reset(texts);
    require(open, status);
    *count = quire_count_texts(texts);
    *longest = 0;
    for (std::uint64_t i = 0; i < *count; ++i) *longest = std::max(*longest, quire_text_length(texts, i));
  });
}

quire_status quire_fortran_take_texts(File* file, const CFI_cdesc_t* texts) {
  return guarded(file, [&](File& open) {
    copy_texts(Array(*texts, "the texts of the attribute"), *open.texts, "the attribute");
    open.texts.reset();
  });
}

quire_status quire_fortran_rows(File* file, std::uint64_t* rows) {
  return guarded(file, [&](File& open) { require(open, quire_get_rows(open.file, rows)); });
}

quire_status quire_fortran_count(File* file, int list, std::uint64_t* count) {
  return guarded(file,
                 [&](File& open) { require(open, quire_get_count(open.file, static_cast<quire_list>(list), count)); });
}

/// @param index from 0 on
quire_status quire_fortran_name(File* file, int list, std::uint64_t index, const char** name) {
  return guarded(
      file, [&](File& open) { require(open, quire_get_name(open.file, static_cast<quire_list>(list), index, name)); });
}

/// @param size of the type `c_info` of the module quire_binding
quire_status quire_fortran_info(File* file, int list, const char* name, quire_info* info, std::uint64_t size) {
  return guarded(file, [&](File& open) {
    require(open, quire_get_info(open.file, static_cast<quire_list>(list), name, info, size));
  });
}

/// @param size of the type `c_check_report` of the module quire_binding
quire_status quire_fortran_check(File* file, quire_check_report* report, std::uint64_t size) {
  return guarded(file, [&](File& open) { require(open, quire_check(open.file, report, size)); });
}

/// Format, title and contents of the file.
quire_status quire_fortran_file_info(File* file, const char** format, const char** title, const char** contents) {
  return guarded(file, [&](File& open) {
    quire_file_info info;
    require(open, quire_get_file_info(open.file, &info, sizeof info));
    *format = info.format;
    *title = info.title;
    *contents = info.contents;
  });
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
  return guarded(file, [&](File& open) { read_column(open, column, *values, first, all != 0); });
}

quire_status quire_fortran_read_field(File* file, const char* field, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                      const CFI_cdesc_t* z, const CFI_cdesc_t* start, const CFI_cdesc_t* stride,
                                      int all) {
  return guarded(file, [&](File& open) {
    read_field(open, field, std::array<const CFI_cdesc_t*, 3>{x, y, z}, start, stride, all != 0);
  });
}

/// @param first and
/// @param count rows among which are chosen, null: all, or all from `first` on
quire_status quire_fortran_set_rows_where(File* file, const char* condition, const CFI_cdesc_t* first,
                                          const CFI_cdesc_t* count) {
  return guarded(file, [&](File& open) {
    open.has_chosen_rows = true;  // also if none can be chosen: then nothing else is read instead
    std::uint64_t all = 0;
    require(open, quire_get_rows(open.file, &all));
    const std::uint64_t row = first_row(first);
    const std::uint64_t rest = all > row ? all - row : 0;
    const std::uint64_t rows = count != nullptr ? quire::fortran::natural_of(count, "count") : rest;
    require(open, quire_set_rows_where(open.file, condition, row, rows));
  });
}

/// @param rows receives their numbers, from 1 on
quire_status quire_fortran_chosen_rows(File* file, std::uint64_t capacity, std::uint64_t* rows, std::uint64_t* count) {
  return guarded(file, [&](File& open) {
    require(open, quire_get_chosen_rows(open.file, capacity, rows, count));
    std::for_each(rows, rows + std::min(capacity, *count), [](std::uint64_t& row) { ++row; });
  });
}

}  // extern "C"
