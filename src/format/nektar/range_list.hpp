#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire::nektar {

/// Numbers below 2^32 in the order of a list, as runs of consecutive numbers. Its size is that of the text of the list,
/// regardless of the numbers.
class RangeList {
 public:
  /// Parses items `n` and `a-b`, separated by commas (specs/nektar-fld.md section 3.3). Throws bad_file errors.
  [[nodiscard]] static RangeList parse(std::string_view text);

  [[nodiscard]] std::uint64_t count() const noexcept {
    return starts_.empty() ? 0 : starts_.back() + runs_.back().count;
  }
  [[nodiscard]] bool is_empty() const noexcept { return runs_.empty(); }
  /// Runs of consecutive numbers: the first number and the count of each.
  [[nodiscard]] std::span<const Slice> runs() const noexcept { return runs_; }
  /// Writes the numbers [rows.first, rows.end()) of the list to `out`.
  void expand(const Slice& rows, std::span<std::uint32_t> out) const;
  /// All numbers. Throws memory errors for more than `most`.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint64_t most) const;
  /// Appends the numbers of another list.
  void append(const RangeList& other);
  /// The list without numbers that equal their predecessor, which the reference leaves out of lists.
  [[nodiscard]] RangeList without_repeats() const;
  [[nodiscard]] bool operator==(const RangeList&) const = default;

 private:
  void add(const Slice& run);

  std::vector<Slice> runs_;            ///< the first number and the count of each
  std::vector<std::uint64_t> starts_;  ///< the count of numbers in all earlier runs
};

/// The text of such a list: runs of two or more numbers as `a-b`.
[[nodiscard]] std::string range_text(std::span<const std::uint32_t> numbers);

/// Parses decimal numbers separated by commas, with optional spaces. Throws bad_file errors.
[[nodiscard]] std::vector<std::uint64_t> parse_numbers(std::string_view text);
/// The same for floating-point numbers.
[[nodiscard]] std::vector<double> parse_reals(std::string_view text);
/// The texts between commas, without surrounding white space.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);
/// Texts joined with commas.
[[nodiscard]] std::string join_list(std::span<const std::string> texts);
[[nodiscard]] std::string join_list(std::span<const std::uint64_t> numbers);

}  // namespace quire::nektar
