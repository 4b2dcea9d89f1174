#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/loops.hpp"
#include "query/program.hpp"
#include "query/unit.hpp"

namespace quire::query {

/// A compiled part of an expression: the location of its values, and their properties.
struct Part {
  std::uint32_t slot = 0;
  Lane lane = Lane::real;
  Unit unit = Unit::pure();
  std::optional<long double> exact = std::nullopt;  ///< of a number as written, before it was rounded to float64
};

/// Builds a program: assigns slots, reuses temporary buffers, evaluates constants.
class Builder {
 public:
  explicit Builder(Program& program) : program_(program) {}

  template <class Value>
  [[nodiscard]] Part constant(Lane lane, Value value, const Unit& unit);
  [[nodiscard]] Part text(const std::string& value);
  /// The column with this name; its name and type are added to the program at first use.
  [[nodiscard]] Part column(const std::string& name, Type type, const Unit& unit);
  [[nodiscard]] Part row_number();

  /// An instruction of `node`, or its result if all operands are constant.
  [[nodiscard]] Part emit(const Node& node, Loop loop, std::span<const Part> operands, Lane lane, const Unit& unit,
                          const char* failure = "", std::shared_ptr<const void> extra = {});
  /// The same values in another lane.
  [[nodiscard]] Part cast(const Node& node, const Part& part, Lane lane);

  /// The number of instructions so far.
  [[nodiscard]] std::size_t instructions() const noexcept { return program_.instructions.size(); }
  /// Skips what was emitted since `mark` in blocks in which all truths of `left` are `decisive`: these are then also
  /// the result. Not for instructions that may fail, so that errors do not depend on the division into blocks.
  void skip_if(const Part& left, bool decisive, std::size_t mark, const Part& result);

  [[nodiscard]] bool is_constant(const Part& part) const {
    return program_.slots[part.slot].place == Slot::Place::constant;
  }
  [[nodiscard]] const Constant& constant_of(const Part& part) const {
    return program_.constants[program_.slots[part.slot].index];
  }
  template <class Value>
  [[nodiscard]] Value value_of(const Part& part) const;

  /// Calls `build` and releases the temporary buffers that it used, except for its result.
  template <class Build>
  Part scoped(const Build& build) {
    const std::size_t mark = live_.size();
    Part result = build();
    release(mark, result);
    return result;
  }

 private:
  [[nodiscard]] std::uint32_t add(Slot slot);
  [[nodiscard]] std::uint32_t temporary(Lane lane);
  void release(std::size_t mark, const Part& result);

  Program& program_;
  std::vector<std::uint32_t> live_;  ///< slots in temporary buffers that are in use
  std::vector<std::uint32_t> free_buffers_;
};

}  // namespace quire::query
