// Steps whose values are passed in parts. The parts of the columns of a table are put one after the other, and passed
// on together.

#include <algorithm>
#include <array>
#include <stdexcept>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::guarded_in_step;
using quire::fortran::require;

/// Collective calls of a step before its commit. If one fails the step ends. A rank whose own call was refused here
/// drops the step on all ranks.
quire_status collective_in_step(File* file, quire_status (*call)(quire_file*)) {
  return guarded(file, [&](File& open) {
    if (!open.refused.empty()) quire::fortran::drop_refused_step(open);
    const quire_status status = call(open.file);
    if (status != QUIRE_OK) quire::fortran::end_step(open);
    require(open, status);
  });
}

using PassField = quire_status (*)(quire_file*, const char*, quire_type, std::uint64_t, const void* const*);

/// Passes a part of a declared field, of the shape of its arrays.
quire_status pass_field(File* file, const char* field, const std::array<const CFI_cdesc_t*, 3>& arrays,
                        const CFI_cdesc_t* start, PassField pass) {
  return guarded_in_step(file, [&](File& open) {
    const std::string what = "the part of the field " + std::string(field);
    const auto extents = open.declared_fields.find(field);
    if (extents == open.declared_fields.end()) throw std::invalid_argument(what + " was not declared before");
    const Array first(*arrays.front(), what);
    const quire::fortran::Elements mine(first, start, nullptr);
    if (mine.count.size() != extents->second.size()) {
      throw std::invalid_argument(what + " has not as many dimensions as the field");
    }
    require(open,
            quire_set_box(open.file, mine.count.size(), extents->second.data(), mine.start.data(), mine.count.data()));
    quire::fortran::Copies packed;
    const auto components =
        quire::fortran::components_to_write(open, arrays, what, quire::fortran::Layout::any, packed);
    require(open, pass(open.file, field, first.type(), components.size(), components.data()));
  });
}

}  // namespace

extern "C" {

quire_status quire_fortran_declare_column(File* file, const char* column, quire_type type, const char* unit) {
  return guarded_in_step(file, [&](File& open) {
    require(open, quire_declare_column(open.file, column, type, unit));
    open.declared_columns[open.table].emplace_back(column);
  });
}

quire_status quire_fortran_declare_texts(File* file, const char* column, const CFI_cdesc_t* longest,
                                         const CFI_cdesc_t* bytes, const char* unit) {
  return guarded_in_step(file, [&](File& open) {
    const std::uint64_t most = quire::fortran::natural_of(longest, "the length of the longest text");
    const std::uint64_t all = quire::fortran::natural_of(bytes, "the length of all texts");
    require(open, quire_declare_texts(open.file, column, most, all, unit));
    open.declared_columns[open.table].emplace_back(column);
  });
}

/// @param start of this rank's box, null: 1
/// @param count its shape, null: that of the field
quire_status quire_fortran_declare_field(File* file, const char* field, quire_type type, const CFI_cdesc_t* extents,
                                         const CFI_cdesc_t* start, const CFI_cdesc_t* count,
                                         const CFI_cdesc_t* components, const char* unit) {
  return guarded_in_step(file, [&](File& open) {
    const auto whole = quire::fortran::extents_of(extents, "an element of extents");
    auto first = quire::fortran::positions_of(start, "an element of start");
    std::ranges::reverse(first);
    if (start == nullptr) first.assign(whole.size(), 0);
    const auto shape = count != nullptr ? quire::fortran::extents_of(count, "an element of count") : whole;
    if (first.size() != whole.size() || shape.size() != whole.size()) {
      throw std::invalid_argument("extents, start and count have different numbers of elements");
    }
    const std::uint64_t parts =
        components != nullptr ? quire::fortran::natural_of(components, "the number of components") : 1;
    require(open, quire_set_box(open.file, whole.size(), whole.data(), first.data(), shape.data()));
    quire::fortran::place_coordinates(open, field, whole.size());
    require(open, quire_declare_field(open.file, field, type, parts, unit));
    open.declared_fields[field] = whole;
  });
}

/// @param chunk receives the shape of the chunks, in the order of Fortran
quire_status quire_fortran_chunk(File* file, const char* field, quire_type type, const CFI_cdesc_t* extents,
                                 const CFI_cdesc_t* components, std::uint64_t* chunk) {
  return guarded(file, [&](File& open) {
    const auto whole = quire::fortran::extents_of(extents, "an element of extents");
    const std::uint64_t parts =
        components != nullptr ? quire::fortran::natural_of(components, "the number of components") : 1;
    require(open, quire_get_chunk(open.file, field, type, parts, whole.size(), whole.data(), chunk));
    std::reverse(chunk, chunk + whole.size());
  });
}

int quire_fortran_weighs_values(const File* file) { return file != nullptr ? quire_weighs_values(file->file) : 0; }

quire_status quire_fortran_agree_on_rows(File* file) { return collective_in_step(file, &quire_agree_on_rows); }

quire_status quire_fortran_open_step(File* file) {
  const quire_status status = collective_in_step(file, &quire_open_step);
  if (status == QUIRE_OK) file->is_placed = true;
  return status;
}

quire_status quire_fortran_write_field(File* file, const char* field, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                       const CFI_cdesc_t* z, const CFI_cdesc_t* start, int weighs) {
  return pass_field(file, field, {x, y, z}, start, weighs != 0 ? &quire_weigh_field : &quire_write_field);
}

/// Passes the parts of the declared columns that were put.
/// @param first row of this rank, null if they are weighed
quire_status quire_fortran_write_rows(File* file, const CFI_cdesc_t* first) {
  return guarded_in_step(file, [&](File& open) {
    std::vector<quire_type> types;
    std::vector<const void*> values;
    const auto& columns = open.declared_columns[open.table];
    std::uint64_t rows = 0;
    for (const std::string& column : columns) {
      const auto part = open.parts.find(column);
      if (part == open.parts.end()) throw std::invalid_argument("no part of the column " + column + " was put");
      if (!types.empty() && part->second.rows != rows) {
        throw std::invalid_argument("the part of the column " + column + " has another number of rows");
      }
      rows = part->second.rows;
      types.push_back(part->second.type);
      values.push_back(part->second.values());
    }
    if (first == nullptr) {
      require(open, quire_weigh_rows(open.file, rows, columns.size(), types.data(), values.data()));
    } else {
      const auto row = quire::fortran::positions_of(first, "first");
      if (row.size() != 1) throw std::invalid_argument("first is not one row");
      require(open, quire_write_rows(open.file, row.front(), rows, columns.size(), types.data(), values.data()));
    }
    open.parts.clear();
  });
}

}  // extern "C"
