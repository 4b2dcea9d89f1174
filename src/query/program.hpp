#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/syntax.hpp"
#include "quire/model/type.hpp"

namespace quire::query {

/// The internal type of the values of a part of an expression.
enum class Lane : std::uint8_t {
  truth,     ///< std::uint8_t, 0 or 1
  integer,   ///< std::int64_t
  natural,   ///< std::uint64_t
  real,      ///< double
  extended,  ///< long double
  text,      ///< std::string_view
};

/// Rows per block: a handful of temporary results fits the first two levels of cache.
inline constexpr std::size_t block_rows = 2048;

/// Bytes of one value of a lane.
[[nodiscard]] constexpr std::size_t lane_bytes(Lane lane) noexcept {
  switch (lane) {
    case Lane::truth:
      return 1;
    case Lane::extended:
    case Lane::text:
      return 16;
    default:
      return 8;
  }
}

/// The lane in which values of a type are computed; it can represent all of them.
[[nodiscard]] constexpr Lane lane_of(Type type) noexcept {
  switch (type) {
    case Type::uint64:
      return Lane::natural;
    case Type::float32:
    case Type::float64:
      return Lane::real;
    case Type::float80:
      return Lane::extended;
    case Type::character:
    case Type::string:
      return Lane::text;
    default:
      return Lane::integer;
  }
}

/// The external type of values of a lane; truths are int32.
[[nodiscard]] constexpr Type type_of(Lane lane) noexcept {
  switch (lane) {
    case Lane::truth:
      return Type::int32;
    case Lane::integer:
      return Type::int64;
    case Lane::natural:
      return Type::uint64;
    case Lane::real:
      return Type::float64;
    case Lane::extended:
      return Type::float80;
    case Lane::text:
      break;
  }
  return Type::string;
}

/// The arguments of a loop: a block of each operand. An operand may be a single value for all rows.
struct Call {
  std::array<const std::byte*, 3> in{};
  std::array<bool, 3> single{};
  std::byte* out = nullptr;
  std::size_t count = 0;
  const void* extra = nullptr;
};

/// Computes a block; returns `count`, or the first row for which there is no result.
using Loop = std::size_t (*)(const Call&);

/// The location of the values of an operand.
struct Slot {
  enum class Place : std::uint8_t { constant, column, row_number, temporary };
  Place place = Place::temporary;
  Lane lane = Lane::real;
  std::uint32_t index = 0;  ///< of the constant, the column, or the temporary buffer
};

/// The value of a constant, in its lane.
struct alignas(16) Constant {
  std::array<std::byte, 16> bytes{};
};

struct Instruction {
  Loop loop = nullptr;
  std::array<std::uint32_t, 3> in{};  ///< slots
  std::uint8_t operands = 0;
  std::uint32_t out = 0;     ///< slot
  std::size_t position = 0;  ///< in the text, for errors
  std::size_t length = 1;
  const char* failure = "";  ///< the message if the loop stops
  std::shared_ptr<const void> extra = {};
  std::size_t skipped = 0;  ///< of a skip, which has no loop: the number of skipped instructions
  bool decisive = false;    ///< skip if all truths of its operand have this value, which is then the result
};

/// The compiled form of a syntax tree: instructions over slots, in the order of execution.
struct Program {
  std::string text;
  std::vector<std::string> columns;  ///< columns that are read
  std::vector<Type> types;           ///< of those
  std::vector<Slot> slots;
  std::vector<std::size_t> buffers;  ///< bytes of a value, of each temporary buffer
  std::vector<Constant> constants;
  std::vector<std::shared_ptr<const std::string>> texts;  ///< the memory of constants of the text lane
  std::vector<Instruction> instructions;
  std::size_t value_instructions = 0;  ///< those that compute the result; the others convert it to a truth
  std::optional<std::uint32_t> row_slot;
  std::uint32_t result = 0;  ///< slot
  Type type = Type::float64;
  bool is_condition = false;
  bool is_constant = false;
  std::uint32_t condition = 0;  ///< slot of the result as a truth, where it is a condition
  std::string unit;
  bool is_pure = false;               ///< whether the result is a pure number
  std::vector<std::string> warnings;  ///< about units, each once

  /// Whether an instruction may have no result for a row: only those with integers can.
  [[nodiscard]] bool may_fail(const Instruction& one) const noexcept {
    return *one.failure != '\0' && slots[one.out].lane == Lane::integer;
  }
};

}  // namespace quire::query
