#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::sdds {

/// The bytes that a parser must see before it can go on.
struct Need {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The bytes that a parser sees at the moment.
struct Window {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

}  // namespace quire::sdds
