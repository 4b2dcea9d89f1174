#include "query/run.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "kernels/convert.hpp"
#include "quire/base/error.hpp"

namespace quire::query {
namespace {

/// The type from which a block of a lane is converted.
Type convertible_type(Lane lane) { return lane == Lane::truth ? Type::uint8 : type_of(lane); }

}  // namespace

Execution::Execution(const Program& program, std::span<const ConstView> columns, std::uint64_t first_row,
                     std::uint64_t rows)
    : program_(program), columns_(columns), first_row_(first_row), rows_(rows) {
  if (columns.size() != program.columns.size())
    throw Error(ErrorKind::usage, "the number of columns differs from that of the expression");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type != program.types[i] || columns[i].count != rows) {
      throw Error(ErrorKind::usage, "the values of a column have another type or number than the expression expects")
          .on(program.columns[i]);
    }
  }
  const std::size_t at_once = std::min<std::uint64_t>(block_rows, std::max<std::uint64_t>(rows, 1));
  std::size_t bytes = 0;
  const auto reserve = [&](std::size_t width) {
    offsets_.push_back(bytes);
    bytes += (width * at_once + 63) / 64 * 64;
  };
  for (const std::size_t width : program.buffers) reserve(width);
  for (const Type type : program.types) reserve(lane_bytes(lane_of(type)));
  if (program.row_slot) reserve(sizeof(std::int64_t));
  storage_.resize(bytes / sizeof(Constant));
  memory_ = std::as_writable_bytes(std::span<Constant>(storage_));
  column_data_.resize(columns.size());
}

bool Execution::next(Goal goal) {
  first_ += count_;
  count_ = static_cast<std::size_t>(std::min<std::uint64_t>(block_rows, rows_ - first_));
  if (count_ == 0) return false;
  std::ranges::fill(column_data_, nullptr);
  if (program_.row_slot) number_rows();
  const std::size_t most = goal == Goal::value ? program_.value_instructions : program_.instructions.size();
  for (std::size_t i = 0; i < most; ++i) {
    const Instruction& instruction = program_.instructions[i];
    if (instruction.loop != nullptr) {
      execute(instruction);
    } else if (skips(instruction)) {
      i += instruction.skipped;
    }
  }
  return true;
}

const std::byte* Execution::column(std::size_t which) {
  if (column_data_[which] != nullptr) return column_data_[which];
  const ConstView& view = columns_[which];
  const bool is_ready = view.type == Type::float64 || view.type == Type::int64 || view.type == Type::uint64;
  const std::byte* const begin = view.data + static_cast<std::ptrdiff_t>(first_) * view.stride;
  if (is_ready && view.is_contiguous() && reinterpret_cast<std::uintptr_t>(begin) % alignof(double) == 0) {
    column_data_[which] = begin;  // used in place
  } else {
    std::byte* const into = buffer(program_.buffers.size() + which);
    load(which, into);
    column_data_[which] = into;
  }
  return column_data_[which];
}

void Execution::load(std::size_t which, std::byte* into) {
  const ConstView& column = columns_[which];
  const Lane lane = lane_of(column.type);
  if (lane == Lane::text) {
    auto* const texts = reinterpret_cast<std::string_view*>(into);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t row = first_ + i;
      const auto* const letter =
          reinterpret_cast<const char*>(column.data + static_cast<std::ptrdiff_t>(row) * column.stride);
      texts[i] = column.type == Type::string ? column.text(row) : std::string_view(letter, 1);
    }
    return;
  }
  const std::byte* const begin = column.data + static_cast<std::ptrdiff_t>(first_) * column.stride;
  const auto misfit = kernels::convert(column.type, begin, column.stride, type_of(lane), into,
                                       static_cast<std::ptrdiff_t>(lane_bytes(lane)), count_, kernels::Loss::allowed);
  if (misfit) throw Error(ErrorKind::internal, "a column did not fit the numbers that expressions compute in");
}

void Execution::number_rows() {
  auto* const numbers = reinterpret_cast<std::int64_t*>(buffer(program_.buffers.size() + columns_.size()));
  std::iota(numbers, numbers + count_, static_cast<std::int64_t>(first_row_ + first_));
}

const std::byte* Execution::data(std::uint32_t slot) {
  const Slot& found = program_.slots[slot];
  switch (found.place) {
    case Slot::Place::constant:
      return program_.constants[found.index].bytes.data();
    case Slot::Place::column:
      return column(found.index);
    case Slot::Place::row_number:
      return memory_.data() + offsets_[program_.buffers.size() + columns_.size()];
    case Slot::Place::temporary:
      break;
  }
  return memory_.data() + offsets_[found.index];
}

bool Execution::is_single(std::uint32_t slot) const { return program_.slots[slot].place == Slot::Place::constant; }

bool Execution::skips(const Instruction& instruction) {
  const int other = instruction.decisive ? 0 : 1;
  if (std::memchr(data(instruction.in[0]), other, count_) != nullptr) return false;
  std::memset(buffer(program_.slots[instruction.out].index), instruction.decisive ? 1 : 0, count_);
  return true;
}

void Execution::execute(const Instruction& instruction) {
  Call call;
  for (std::size_t i = 0; i < instruction.operands; ++i) {
    call.in[i] = data(instruction.in[i]);
    call.single[i] = is_single(instruction.in[i]);
  }
  call.out = buffer(program_.slots[instruction.out].index);
  call.count = count_;
  call.extra = instruction.extra.get();
  const std::size_t done = instruction.loop(call);
  if (done != count_) {
    throw error_at(ErrorKind::type, program_.text, instruction.position, instruction.length,
                   "in row " + std::to_string(first_row_ + first_ + done) + ": " + instruction.failure);
  }
}

void deliver(Lane lane, const std::byte* data, bool is_single, std::uint64_t first, std::size_t count, const View& out,
             std::uint64_t first_row) {
  if (lane == Lane::text) {
    const auto* const texts = reinterpret_cast<const std::string_view*>(data);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = texts[is_single ? 0 : i];
      if (out.type == Type::string) {
        out.strings->push_back(text);
      } else if (out.type == Type::character && text.size() == 1) {
        out.data[static_cast<std::ptrdiff_t>(first + i) * out.stride] = static_cast<std::byte>(text[0]);
      } else {
        throw Error(ErrorKind::type, "text does not convert to " + std::string(name(out.type)));
      }
    }
    return;
  }
  const auto stride = is_single ? 0 : static_cast<std::ptrdiff_t>(lane_bytes(lane));
  std::byte* const into = out.data + static_cast<std::ptrdiff_t>(first) * out.stride;
  const auto misfit =
      kernels::convert(convertible_type(lane), data, stride, out.type, into, out.stride, count, kernels::Loss::refused);
  if (misfit) {
    throw Error(ErrorKind::type, "the result in row " + std::to_string(first_row + first + *misfit) +
                                     " has no equal of type " + std::string(name(out.type)));
  }
}

}  // namespace quire::query
