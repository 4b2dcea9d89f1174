#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "api/write/row_choice.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/step_part.hpp"

namespace quire {

/// Collects the data of a step. The error of a wrong call is kept, not thrown, so that the rank still takes part in the
/// commit, where it is reported on all ranks.
class StepBuilder {
 public:
  explicit StepBuilder(std::int64_t number) { part_.description.number = number; }

  void set(Attribute attribute);
  /// `columns`: the number of columns that follow, if known.
  void table(std::string name, std::size_t columns = 0);
  void expansion(Expansion expansion);
  void rows(std::uint64_t count);
  void rows_at(const RowSelection& rows, std::optional<std::uint64_t> total);
  void put(Column column, const ConstView& values);
  void put(std::string name, std::string unit, const ConstView& values);
  void put_constant(Attribute constant);
  void declare(Column column, std::uint64_t string_bytes);
  void put_field(Field field, Selection selection, std::vector<ConstView> components, MemorySelection memory);
  void declare_field(Field field, Box mine);

  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }
  /// Checks what is only known at the end and returns the part. Tables with chosen rows have no rows in it.
  [[nodiscard]] StepPart& finish();
  /// After finish(): turns constants into columns. Throws unsupported errors in a step in parts.
  void spread_constants();
  /// The constants that spread_constants() has made columns of.
  [[nodiscard]] std::vector<Attribute> spread() const { return {spread_.begin(), spread_.end()}; }
  /// The chosen rows, for each table of the part.
  [[nodiscard]] std::vector<std::optional<RowChoice>>& choices() noexcept { return choices_; }
  /// After finish(): a hash of what all ranks must agree on: texts and attributes of the file, number and attributes of
  /// the step, values of constants, names, types and texts of tables, columns and fields, not their rows, but whether
  /// these are chosen, and fields declared.
  [[nodiscard]] std::uint64_t structure_hash(const FileDescription& file) const;
  [[nodiscard]] bool is_streamed() const noexcept { return streamed_; }
  [[nodiscard]] std::int64_t number() const noexcept { return part_.description.number; }

 private:
  /// The bytes of the strings of a column.
  struct StringBytes {
    std::uint64_t sum = 0;
    std::uint64_t longest = 0;

    [[nodiscard]] static StringBytes of(const ConstView& values);
  };

  void fail(Error error);
  Table& current();
  /// A column of the table, without name and type yet; null after an error, which is kept.
  Column* new_column(const std::string& name, const ConstView& values, const StringBytes& strings, std::uint64_t count);
  void add_field(Field field, FieldPart part);

  StepPart part_;
  NameIndex attributes_;
  NameIndex tables_;
  std::vector<NameIndex> columns_;  ///< for each table
  NameIndex fields_;
  std::size_t table_ = 0;
  std::vector<bool> rows_known_;
  std::vector<std::optional<RowChoice>> choices_;  ///< for each table
  std::deque<Attribute> spread_;                   ///< constants that are columns
  bool streamed_ = false;
  std::optional<Error> error_;
};

/// The same for the description of the file.
[[nodiscard]] std::uint64_t description_hash(const FileDescription& file);

}  // namespace quire
