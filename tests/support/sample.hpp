#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "quire/spi/format/step_part.hpp"

namespace quire::test {

/// A generated run whose values are functions of the step, the column and the global row, so that any rank can generate
/// its own part and check any other. It has all column types that a format can hold, and fields with a layer for each
/// row if the format holds fields.
class Sample {
 public:
  /// Has all column types that `format` holds.
  Sample(const Format& format, std::uint64_t rows, bool with_strings = true);

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

  /// Sets attributes and puts this slice of rows. The sample keeps the memory until forget().
  void fill(WriteStep& step, std::int64_t number, const Slice& mine);
  /// Puts the fields, which fill() puts as well.
  void put_fields(WriteStep& step, std::int64_t number, const Slice& mine);
  /// Declares the columns of a part, with the sizes of its strings.
  void declare(WriteStep& step, const StepPart& part) const;
  /// One column of a step, as fill() puts it.
  [[nodiscard]] ConstView column(const Column& column, std::int64_t number, const Slice& mine);
  /// The part of a rank, for the simulation.
  [[nodiscard]] StepPart part(std::int64_t number, const Slice& mine);
  void forget();

  /// Empty if the step holds what fill() wrote, over this slice of rows; otherwise the first difference in words.
  [[nodiscard]] std::string difference(const ReadStep& step, const Slice& mine);

 private:
  void set_attributes(std::int64_t number, std::vector<Attribute>& attributes) const;
  [[nodiscard]] FieldPart field_part(const Field& field, std::int64_t number, const Slice& mine);
  [[nodiscard]] std::string field_difference(const ReadStep& step, const Field& field, const Slice& mine) const;

  std::uint64_t rows_;
  std::vector<Column> columns_;
  std::vector<Field> fields_;
  std::deque<std::vector<std::byte>> numbers_;
  std::deque<std::vector<std::string>> texts_;
};

/// A kind of file that a format writes.
struct Variant {
  const Format* format = nullptr;
  Options options;
  std::size_t index = 0;  ///< 0: the presets

  /// For tests and files: "name" or "name_3".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] WriteOptions write_options() const;
  /// The same for a new file that is written in place: over a checkpoint of an earlier run, the writer would replace
  /// the whole with other calls.
  [[nodiscard]] WriteOptions new_file_options() const;
};
void PrintTo(const Variant& variant, std::ostream* out);
/// The formats that hold tables, and those that hold streams.
[[nodiscard]] std::vector<const Format*> formats_of_tables();
[[nodiscard]] std::vector<const Format*> formats_of_streams();
/// Every kind of file of every format of tables, or of streams.
[[nodiscard]] std::vector<Variant> variants();
[[nodiscard]] std::vector<Variant> variants_of_streams();
[[nodiscard]] std::vector<Variant> variants_of(const std::vector<const Format*>& formats);
/// The formats, and their variants, whose files hold several steps.
[[nodiscard]] std::vector<const Format*> formats_of_steps();
[[nodiscard]] std::vector<Variant> variants_of_steps();
/// `wanted`, or at most 1 if a file of the format holds one step.
[[nodiscard]] std::int64_t possible_steps(const Format& format, std::int64_t wanted);

/// How rows are spread over ranks in a test.
enum class Spread { even, first_has_nothing, last_has_nothing, all_ranks_are_empty, last_has_everything };
inline constexpr std::array spreads{Spread::even, Spread::first_has_nothing, Spread::last_has_nothing,
                                    Spread::all_ranks_are_empty, Spread::last_has_everything};
[[nodiscard]] std::string name(Spread spread);
[[nodiscard]] Slice slice(Spread spread, std::uint64_t rows, const Comm& comm);
[[nodiscard]] Slice slice(Spread spread, std::uint64_t rows, int rank, int size);

}  // namespace quire::test
