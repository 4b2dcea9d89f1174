#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/options.hpp"

namespace quire::test {

/// The choices of a fuzzer apart from the file: the first bytes of its input. Zeros choose the first of everything and
/// no options, so a file after zeros is a valid input.
class Choices {
 public:
  static constexpr std::size_t bytes = 24;

  explicit Choices(std::span<const std::uint8_t> chosen) : left_(chosen) {}

  /// A number below `count`; 0 after the last byte.
  [[nodiscard]] std::size_t below(std::size_t count) {
    if (left_.empty()) return 0;
    const std::size_t number = left_.front() % count;
    left_ = left_.subspan(1);
    return number;
  }
  [[nodiscard]] bool coin() { return below(2) == 1; }

  /// Up to three options of a table with values of their kind, valid and invalid ones.
  [[nodiscard]] Options options(const std::vector<Option>& table) {
    Options chosen;
    for (int i = 0; i < 3; ++i) {
      const std::size_t which = below(table.size() + 1);
      const std::size_t value = below(256);
      if (which != 0) chosen.insert_or_assign(std::string(table[which - 1].name), value_of(table[which - 1], value));
    }
    return chosen;
  }

 private:
  static std::string value_of(const Option& option, std::size_t value) {
    constexpr std::array<std::string_view, 2> truths{"true", "false"};
    constexpr std::array<std::string_view, 12> integers{"1", "2",    "3",    "7",     "0",  "16",
                                                        "9", "1000", "4096", "65536", "-1", "9223372036854775807"};
    constexpr std::array<std::string_view, 6> texts{"x", "Step", "", "file", "a/b", "..#1"};
    const auto one_of = [value](std::span<const std::string_view> values) {
      return std::string(values[value % values.size()]);
    };
    if (option.kind == OptionKind::truth) return one_of(truths);
    if (option.kind == OptionKind::integer) return one_of(integers);
    return one_of(option.choices.empty() ? std::span<const std::string_view>(texts) : option.choices);
  }

  std::span<const std::uint8_t> left_;
};

}  // namespace quire::test
