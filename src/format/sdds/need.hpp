#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::sdds {

/// The bytes that a parser needs to continue.
struct Need {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The bytes that are available to a parser.
struct Window {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

}  // namespace quire::sdds
