#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "kernels/convert.hpp"
#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"

namespace quire::nektar {

/// Reads values of one type into memory of any type, a piece at a time: `make(rows, values)` fills the values.
template <class Value, class Make>
void in_pieces(Type type, const Slice& rows, const View& out, const std::string& object, std::size_t at_once,
               Make&& make) {
  if (out.type == Type::string || !kernels::convertible(type, out.type)) {
    throw Error(ErrorKind::type,
                "values of type " + std::string(name(type)) + " cannot be read as " + std::string(name(out.type)))
        .on(object);
  }
  std::vector<Value> values;
  for (std::uint64_t done = 0; done < rows.count; done += values.size()) {
    values.resize(static_cast<std::size_t>(std::min<std::uint64_t>(at_once, rows.count - done)));
    make(Slice{rows.first + done, values.size()}, std::span<Value>(values));
    std::byte* target = out.data + static_cast<std::ptrdiff_t>(done) * out.stride;
    const auto lost = kernels::convert(type, reinterpret_cast<const std::byte*>(values.data()), sizeof(Value), out.type,
                                       target, out.stride, values.size(), kernels::Loss::refused);
    if (!lost) continue;
    throw Error(ErrorKind::type, "the value of row " + std::to_string(rows.first + done + *lost) + " does not fit " +
                                     std::string(name(out.type)))
        .on(object);
  }
}

/// Copies the numbers of a view, which starts at row `first`; in a plan without data they are zeros. Throws type errors
/// for texts and, unless `lossy`, for numbers that do not fit.
template <class Number>
void copy_numbers(const ConstView& view, std::span<Number> out, std::uint64_t first, const std::string& object,
                  bool lossy) {
  if (view.type == Type::string) throw Error(ErrorKind::type, "the values are texts, not numbers").on(object);
  if (view.data == nullptr) {
    std::ranges::fill(out, Number{});
    return;
  }
  const auto lost = kernels::convert(view.type, view.data, view.stride, TypeOf<Number>::value,
                                     reinterpret_cast<std::byte*>(out.data()), sizeof(Number), out.size(),
                                     lossy ? kernels::Loss::allowed : kernels::Loss::refused);
  if (!lost) return;
  throw Error(ErrorKind::type, "the value of row " + std::to_string(first + *lost) + " does not fit").on(object);
}

}  // namespace quire::nektar
