#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sdds {

enum class Mode : std::uint8_t { ascii, binary };

/// The common fields of parameters, arrays and columns. Texts are as stored in the file, or absent.
struct Definition {
  std::string name;
  Type type = Type::float64;
  std::optional<std::string> symbol;
  std::optional<std::string> units;
  std::optional<std::string> description;
  std::optional<std::string> format_string;

  [[nodiscard]] bool operator==(const Definition&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(name, type, symbol, units, description, format_string);
  }
};

struct ParameterDefinition : Definition {
  std::optional<std::string> fixed_value;  ///< the text of its value on every page

  [[nodiscard]] bool operator==(const ParameterDefinition&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    Definition::archive(a);
    a(fixed_value);
  }
};

struct ArrayDefinition : Definition {
  std::optional<std::string> group_name;
  std::int64_t field_length = 0;  ///< bytes of a value in ASCII data, 0: tokens; negative: strings are trimmed
  std::uint64_t dimensions = 1;

  [[nodiscard]] bool operator==(const ArrayDefinition&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    Definition::archive(a);
    a(group_name, field_length, dimensions);
  }
};

struct ColumnDefinition : Definition {
  std::int64_t field_length = 0;

  [[nodiscard]] bool operator==(const ColumnDefinition&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    Definition::archive(a);
    a(field_length);
  }
};

/// The fields of the command `&data`.
struct DataCommand {
  Mode mode = Mode::binary;
  std::int64_t lines_per_row = 1;
  bool no_row_counts = false;
  bool fixed_row_count = false;  ///< by this field or a meta line: a page may be cut at the end of the file
  std::int64_t additional_header_lines = 0;
  bool column_major = false;

  [[nodiscard]] bool operator==(const DataCommand&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(mode, lines_per_row, no_row_counts, fixed_row_count, additional_header_lines, column_major);
  }
};

/// Everything before the data (specs/sdds.md section 2).
struct Header {
  int version = 1;
  std::optional<ByteOrder> declared_order;
  std::optional<std::string> text;
  std::optional<std::string> contents;
  std::vector<ParameterDefinition> parameters;
  std::vector<ArrayDefinition> arrays;
  std::vector<ColumnDefinition> columns;
  DataCommand data;
  std::uint64_t data_offset = 0;  ///< of the first byte of the data
  std::vector<std::string> warnings;

  [[nodiscard]] ByteOrder order() const noexcept { return declared_order.value_or(native_order); }
  template <class Archive>
  void archive(Archive& a) {
    a(version, declared_order, text, contents, parameters, arrays, columns, data, data_offset, warnings);
  }
};

}  // namespace quire::sdds
