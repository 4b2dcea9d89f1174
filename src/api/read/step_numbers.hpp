#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quire/spi/format/describer.hpp"

namespace quire {

/// The numbers of at most `count` steps from index `first` on; fewer at the end of the file.
[[nodiscard]] std::vector<std::int64_t> some_numbers(Describer& describer, std::uint64_t first, std::uint64_t count);

/// The index of the step with a number; if there is none, the numbers before and after it.
struct FoundNumber {
  std::optional<std::uint64_t> index{};
  std::vector<std::int64_t> neighbours{};
  template <class Archive>
  void archive(Archive& a) {
    a(index, neighbours);
  }
};
[[nodiscard]] FoundNumber find_number(Describer& describer, std::int64_t number);

/// The nearest of these numbers to one that is missing, for a message.
[[nodiscard]] std::string nearest_numbers(std::vector<std::int64_t> numbers, std::int64_t wanted);

}  // namespace quire
