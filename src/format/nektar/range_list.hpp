#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/slice.hpp"

namespace quire::nektar {

/// Numbers below 2^32 in the order of a list, as runs of numbers that rise by one: as large as the text of the list,
/// whatever numbers it names.
class RangeList {
 public:
  /// Items `n` and `a-b` with commas between (specs/nektar-fld.md section 3.3). Throws bad_file errors.
  [[nodiscard]] static RangeList parse(std::string_view text);

  [[nodiscard]] std::uint64_t count() const noexcept {
    return starts_.empty() ? 0 : starts_.back() + runs_.back().count;
  }
  [[nodiscard]] bool is_empty() const noexcept { return runs_.empty(); }
  /// Runs of numbers that rise by one: the first number of each, and how many.
  [[nodiscard]] std::span<const Slice> runs() const noexcept { return runs_; }
  /// Numbers [rows.first, rows.end()) of the list, one behind the other.
  void expand(const Slice& rows, std::span<std::uint32_t> out) const;
  /// All numbers. Throws memory errors for more than `most`.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint64_t most) const;
  /// Puts the numbers of another list behind.
  void append(const RangeList& other);
  /// The list without numbers that equal the one before, which the reference leaves out of lists.
  [[nodiscard]] RangeList without_repeats() const;
  [[nodiscard]] bool operator==(const RangeList&) const = default;

 private:
  void add(const Slice& run);

  std::vector<Slice> runs_;            ///< the first number of each, and how many
  std::vector<std::uint64_t> starts_;  ///< how many numbers are in the runs before
};

/// The text of such a list: runs of two and more as `a-b`.
[[nodiscard]] std::string range_text(std::span<const std::uint32_t> numbers);

/// A list of decimal numbers with commas between, spaces around them allowed. Throws bad_file errors.
[[nodiscard]] std::vector<std::uint64_t> parse_numbers(std::string_view text);
/// The same for floating-point numbers.
[[nodiscard]] std::vector<double> parse_reals(std::string_view text);
/// The texts between commas, without white space around them.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);
/// Texts with commas between.
[[nodiscard]] std::string join_list(std::span<const std::string> texts);
[[nodiscard]] std::string join_list(std::span<const std::uint64_t> numbers);

}  // namespace quire::nektar
