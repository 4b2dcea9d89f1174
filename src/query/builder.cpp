#include "query/builder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "quire/spi/base/load.hpp"

namespace quire::query {
namespace {

constexpr const char* beyond_integers =
    "the value is beyond int64, in which integers are computed; use float(...) for floating numbers";

}  // namespace

template <class Value>
Part Builder::constant(Lane lane, Value value, const Unit& unit) {
  static_assert(sizeof(Value) <= sizeof(Constant));
  Constant made;
  std::memcpy(made.bytes.data(), &value, sizeof value);
  program_.constants.push_back(made);
  const auto index = static_cast<std::uint32_t>(program_.constants.size() - 1);
  return {add({Slot::Place::constant, lane, index}), lane, unit};
}
template Part Builder::constant(Lane, std::uint8_t, const Unit&);
template Part Builder::constant(Lane, std::int64_t, const Unit&);
template Part Builder::constant(Lane, std::uint64_t, const Unit&);
template Part Builder::constant(Lane, double, const Unit&);
template Part Builder::constant(Lane, long double, const Unit&);
template Part Builder::constant(Lane, std::string_view, const Unit&);
template Part Builder::constant(Lane, Constant, const Unit&);

template <class Value>
Value Builder::value_of(const Part& part) const {
  return load_at<Value>(constant_of(part).bytes.data());
}
template std::uint8_t Builder::value_of(const Part&) const;
template std::int64_t Builder::value_of(const Part&) const;
template std::uint64_t Builder::value_of(const Part&) const;
template double Builder::value_of(const Part&) const;
template long double Builder::value_of(const Part&) const;

Part Builder::text(const std::string& value) {
  const auto& kept = program_.texts.emplace_back(std::make_shared<const std::string>(value));
  return constant(Lane::text, std::string_view(*kept), Unit::unknown());
}

Part Builder::column(const std::string& name, Type type, const Unit& unit) {
  const auto known = std::ranges::find(program_.columns, name);
  const auto index = static_cast<std::uint32_t>(known - program_.columns.begin());
  const Lane lane = lane_of(type);
  if (known == program_.columns.end()) {
    program_.columns.push_back(name);
    program_.types.push_back(type);
    return {add({Slot::Place::column, lane, index}), lane, unit};
  }
  const auto slot = std::ranges::find_if(
      program_.slots, [index](const Slot& one) { return one.place == Slot::Place::column && one.index == index; });
  return {static_cast<std::uint32_t>(slot - program_.slots.begin()), lane, unit};
}

Part Builder::row_number() {
  if (!program_.row_slot) program_.row_slot = add({Slot::Place::row_number, Lane::integer, 0});
  return {*program_.row_slot, Lane::integer, Unit::pure()};
}

Part Builder::emit(const Node& node, Loop loop, std::span<const Part> operands, Lane lane, const Unit& unit,
                   const char* failure, std::shared_ptr<const void> extra) {
  if (loop == nullptr) throw Error(ErrorKind::internal, "an expression has no loop for one of its operations");
  if (std::ranges::all_of(operands, [this](const Part& part) { return is_constant(part); })) {
    Constant computed;
    Call call;
    call.out = computed.bytes.data();
    call.count = 1;
    call.extra = extra.get();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      call.in[i] = constant_of(operands[i]).bytes.data();
      call.single[i] = true;
    }
    if (loop(call) != 1) throw error_at(ErrorKind::type, program_.text, node.position, node.length, failure);
    return constant(lane, computed, unit);
  }
  Instruction made;
  made.loop = loop;
  made.operands = static_cast<std::uint8_t>(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) made.in[i] = operands[i].slot;
  made.out = temporary(lane);
  made.position = node.position;
  made.length = node.length;
  made.failure = failure;
  made.extra = std::move(extra);
  program_.instructions.push_back(made);
  return {made.out, lane, unit};
}

Part Builder::cast(const Node& node, const Part& part, Lane lane) {
  if (part.lane == lane) return part;
  if (lane == Lane::extended && part.exact) return constant(lane, *part.exact, part.unit);
  Part result = emit(node, cast_loop(part.lane, lane), {&part, 1}, lane, part.unit, beyond_integers);
  result.exact = part.exact;
  return result;
}

void Builder::skip_if(const Part& left, bool decisive, std::size_t mark, const Part& result) {
  auto& all = program_.instructions;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(mark);
  const bool may_fail =
      std::any_of(first, all.end(), [this](const Instruction& one) { return program_.may_fail(one); });
  if (is_constant(left) || is_constant(result) || first == all.end() || may_fail) return;
  Instruction skip;
  skip.in[0] = left.slot;
  skip.operands = 1;
  skip.out = result.slot;
  skip.skipped = all.size() - mark;
  skip.decisive = decisive;
  all.insert(first, skip);
}

std::uint32_t Builder::add(Slot slot) {
  program_.slots.push_back(slot);
  return static_cast<std::uint32_t>(program_.slots.size() - 1);
}

std::uint32_t Builder::temporary(Lane lane) {
  const std::size_t bytes = lane_bytes(lane);
  const auto fitting =
      std::ranges::find_if(free_buffers_, [&](std::uint32_t buffer) { return program_.buffers[buffer] == bytes; });
  std::uint32_t buffer = 0;
  if (fitting != free_buffers_.end()) {
    buffer = *fitting;
    free_buffers_.erase(fitting);
  } else {
    buffer = static_cast<std::uint32_t>(program_.buffers.size());
    program_.buffers.push_back(bytes);
  }
  live_.push_back(add({Slot::Place::temporary, lane, buffer}));
  return live_.back();
}

void Builder::release(std::size_t mark, const Part& result) {
  bool keeps_result = false;
  for (std::size_t i = mark; i < live_.size(); ++i) {
    if (live_[i] == result.slot) {
      keeps_result = true;
    } else {
      free_buffers_.push_back(program_.slots[live_[i]].index);
    }
  }
  live_.resize(mark);
  if (keeps_result) live_.push_back(result.slot);
}

}  // namespace quire::query
