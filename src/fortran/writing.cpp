#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::guarded_in_step;
using quire::fortran::Layout;
using quire::fortran::Part;
using quire::fortran::require;

std::string quoted(const char* name) { return "\"" + std::string(name) + "\""; }

/// The first array of a table sets its rows on this rank. The others have as many.
void set_rows_once(File& file, const char* column, std::uint64_t count) {
  const auto known = file.rows.find(file.table);
  if (known == file.rows.end()) {
    require(file, quire_set_rows(file.file, count));
    file.rows[file.table] = count;
  } else if (known->second != count) {
    throw std::invalid_argument("the column " + quoted(column) + " has " + std::to_string(count) +
                                " values where the table has " + std::to_string(known->second) + " rows on this rank");
  }
}

Layout layout_of(int copies) { return copies != 0 ? Layout::copied : Layout::columns; }

/// Copies of texts without the blanks at their ends, which are Fortran's.
std::vector<std::string> texts_of(File& file, const Array& array) {
  std::vector<char> packed(array.bytes());
  array.copy_to(reinterpret_cast<std::byte*>(packed.data()));
  file.copied += packed.size();
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < array.count(); ++i) {
    const std::string_view text(packed.data() + i * array.element_size(), array.element_size());
    texts.emplace_back(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  return texts;
}

/// A part of a declared column.
Part part_of(File& file, const Array& array, const std::string& what, Layout layout) {
  Part part;
  part.type = array.type();
  part.rows = array.count();
  if (part.type == QUIRE_STRING) {
    part.texts = texts_of(file, array);
    for (const std::string& text : part.texts) part.beginnings.push_back(text.c_str());
  } else {
    part.numbers = quire::fortran::values_to_write(file, array, what, layout, part.copies);
  }
  return part;
}

bool is_declared(const File& file, const std::string& column) {
  const auto columns = file.declared_columns.find(file.table);
  return columns != file.declared_columns.end() && std::ranges::count(columns->second, column) > 0;
}

/// Keeps a part until those of the other columns were put.
void keep_part(File& file, const char* column, const Array& array, const std::string& what, Layout layout) {
  if (file.parts.contains(column)) {
    throw std::invalid_argument("a part of " + what + " was put before: call write_rows or weigh_rows after each part");
  }
  file.parts.emplace(column, part_of(file, array, what, layout));
}

/// A column of texts, which the library copies.
void put_texts(File& file, const char* column, const Array& array, const char* unit) {
  const std::vector<std::string> copies = texts_of(file, array);
  std::vector<const char*> texts;
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : copies) {
    texts.push_back(text.data());
    lengths.push_back(text.size());
  }
  require(file, quire_put_texts(file.file, column, texts.data(), lengths.data(), unit));
}

/// The elements of this rank: as many as its array has, from `start` on and `stride` apart, in a field of these
/// extents. Without them the array is the whole field.
void select_elements(File& file, const Array& values, const CFI_cdesc_t* extents, const CFI_cdesc_t* start,
                     const CFI_cdesc_t* stride) {
  const quire::fortran::Elements mine(values, start, stride);
  std::vector<std::uint64_t> whole = quire::fortran::extents_of(extents, "an element of extents");
  if (extents == nullptr) whole = mine.count;
  if (whole.size() != mine.count.size()) {
    throw std::invalid_argument("extents has not as many elements as the array has dimensions");
  }
  require(file, quire_set_hyperslab(file.file, whole.size(), whole.data(), mine.start.data(), mine.stride.data(),
                                    mine.count.data(), nullptr));
}

const std::uint64_t* optional(const std::vector<std::uint64_t>& one) { return one.empty() ? nullptr : one.data(); }

std::vector<std::uint64_t> total_of(const CFI_cdesc_t* total) {
  if (total == nullptr) return {};
  return {quire::fortran::natural_of(total, "total")};
}

}  // namespace

extern "C" {

quire_status quire_fortran_step(File* file, const CFI_cdesc_t* number) {
  return guarded(file, [&](File& open) {
    std::int64_t wanted = std::numeric_limits<std::int64_t>::min();
    std::string wrong;
    try {
      wanted = quire::fortran::integer_of(number, "the number of the step");
    } catch (const std::invalid_argument& error) {
      wrong = error.what();  // the rank takes part in what is collective, and drops a step that it writes
    }
    const quire_status status = quire_step(open.file, wanted);
    if (status == QUIRE_OK) {
      quire::fortran::end_step(open);
      open.is_in_step = open.is_written;
      if (open.is_written) open.refused = wrong;
    }
    if (!wrong.empty()) throw std::invalid_argument(wrong);
    require(open, status);
  });
}

quire_status quire_fortran_set(File* file, const char* name, const CFI_cdesc_t* values, const char* unit) {
  return guarded_in_step(file, [&](File& open) {
    const Array array(*values, "the value of " + quoted(name));
    std::vector<std::byte> packed(array.bytes());
    array.copy_to(packed.data());
    require(open, quire_set(open.file, name, array.type(), array.count(), packed.data(), unit));
  });
}

quire_status quire_fortran_set_text(File* file, const char* name, const char* text) {
  return guarded_in_step(file, [&](File& open) { require(open, quire_set_text(open.file, name, text)); });
}

quire_status quire_fortran_set_texts(File* file, const char* name, const CFI_cdesc_t* texts) {
  return guarded_in_step(file, [&](File& open) {
    const std::vector<std::string> copies = texts_of(open, Array(*texts, "the value of " + quoted(name)));
    std::vector<const char*> beginnings;
    for (const std::string& text : copies) beginnings.push_back(text.c_str());
    require(open, quire_set_texts(open.file, name, beginnings.size(), beginnings.data()));
  });
}

quire_status quire_fortran_set_description(File* file, const char* symbol, const char* description,
                                           const char* display) {
  return guarded_in_step(
      file, [&](File& open) { require(open, quire_set_description(open.file, symbol, description, display)); });
}

quire_status quire_fortran_set_title(File* file, const char* title, const char* contents) {
  return guarded(file, [&](File& open) { require(open, quire_set_title(open.file, title, contents)); });
}

quire_status quire_fortran_table(File* file, const char* name) {
  return guarded_in_step(file, [&](File& open) {
    if (!open.parts.empty()) throw std::invalid_argument("parts were put, but not passed to write_rows or weigh_rows");
    require(open, quire_table(open.file, name));
    open.table = name;
    open.has_chosen_rows = false;
  });
}

quire_status quire_fortran_set_rows(File* file, const CFI_cdesc_t* rows) {
  return guarded_in_step(file, [&](File& open) {
    const std::uint64_t count = quire::fortran::natural_of(rows, "the number of rows");
    require(open, quire_set_rows(open.file, count));
    open.rows[open.table] = count;
  });
}

quire_status quire_fortran_set_row_list(File* file, const CFI_cdesc_t* rows, const CFI_cdesc_t* total) {
  return guarded_in_step(file, [&](File& open) {
    const auto list = quire::fortran::positions_of(rows, "a row");
    open.has_chosen_rows = true;
    require(open, quire_set_row_list(open.file, list.size(), list.data(), optional(total_of(total))));
    open.rows[open.table] = list.size();
  });
}

quire_status quire_fortran_set_row_blocks(File* file, const CFI_cdesc_t* start, const CFI_cdesc_t* stride,
                                          const CFI_cdesc_t* count, const CFI_cdesc_t* block,
                                          const CFI_cdesc_t* total) {
  return guarded_in_step(file, [&](File& open) {
    const auto first = quire::fortran::positions_of(start, "start");
    if (first.size() != 1) throw std::invalid_argument("start is not one row");
    const std::uint64_t apart = quire::fortran::natural_of(stride, "stride");
    const std::uint64_t blocks = quire::fortran::natural_of(count, "count");
    const std::uint64_t size = quire::fortran::natural_of(block, "block");
    open.has_chosen_rows = true;
    require(open, quire_set_row_blocks(open.file, first.front(), apart, blocks, size, optional(total_of(total))));
    open.rows[open.table] = blocks * size;
  });
}

quire_status quire_fortran_put(File* file, const char* column, const CFI_cdesc_t* values, const char* unit,
                               int copies) {
  return guarded_in_step(file, [&](File& open) {
    const std::string what = "the column " + quoted(column);
    const Array array(*values, what);
    if (array.is_scalar()) throw std::invalid_argument(what + " is no array");
    if (is_declared(open, column)) return keep_part(open, column, array, what, layout_of(copies));
    if (array.type() == QUIRE_STRING) {
      set_rows_once(open, column, array.count());
      put_texts(open, column, array, unit);
      return;
    }
    const void* packed = quire::fortran::values_to_write(open, array, what, layout_of(copies), open.copies);
    set_rows_once(open, column, array.count());
    require(open, quire_put(open.file, column, array.type(), packed, unit));
  });
}

/// @param y and
/// @param z further components, may be null
quire_status quire_fortran_put_field(File* file, const char* field, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                     const CFI_cdesc_t* z, const CFI_cdesc_t* extents, const CFI_cdesc_t* start,
                                     const CFI_cdesc_t* stride, const char* unit, int copies) {
  return guarded_in_step(file, [&](File& open) {
    const std::string what = "the field " + quoted(field);
    const Array first(*x, what);
    select_elements(open, first, extents, start, stride);
    quire::fortran::place_coordinates(open, field, first.shape().size());
    const std::array<const CFI_cdesc_t*, 3> arrays{x, y, z};
    const auto components = quire::fortran::components_to_write(open, arrays, what, layout_of(copies), open.copies);
    require(open, quire_put_field(open.file, field, first.type(), components.size(), components.data(), unit));
  });
}

quire_status quire_fortran_define_attribute(File* file, const char* name, quire_type type, const char* unit) {
  return guarded(file, [&](File& open) { require(open, quire_define_attribute(open.file, name, type, unit)); });
}

quire_status quire_fortran_define_column(File* file, const char* table, const char* column, quire_type type,
                                         const char* unit) {
  return guarded(file, [&](File& open) { require(open, quire_define_column(open.file, table, column, type, unit)); });
}

quire_status quire_fortran_define_field(File* file, const char* field, quire_type type, const CFI_cdesc_t* axes,
                                        const CFI_cdesc_t* components, const char* unit) {
  return guarded(file, [&](File& open) {
    const std::uint64_t count = quire::fortran::natural_of(axes, "the number of axes");
    const std::uint64_t parts =
        components != nullptr ? quire::fortran::natural_of(components, "the number of components") : 1;
    require(open, quire_define_field(open.file, field, type, count, parts, unit));
  });
}

}  // extern "C"
