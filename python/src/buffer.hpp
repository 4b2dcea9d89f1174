#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/model/type.hpp"
#include "quire/model/value.hpp"
#include "typing.hpp"

namespace quire::python {

/// The memory of a one-dimensional NumPy array, held: as long as this lives, the array is neither freed nor resized.
/// Make and destroy it only with the interpreter lock.
class Buffer {
 public:
  enum class Use : bool { look, fill };

  Buffer(nanobind::handle array, Use use);

  /// True if the elements are Python objects and not numbers.
  [[nodiscard]] bool holds_objects() const noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(view_->shape[0]); }
  [[nodiscard]] std::ptrdiff_t stride() const noexcept { return view_->strides[0]; }
  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(view_->buf); }

  /// The elements as numbers of `type`. Throws internal errors if their size is another one.
  [[nodiscard]] ConstView numbers(Type type) const;
  [[nodiscard]] View target(Type type) const;

 private:
  void expect(Type type) const;

  struct Release {
    void operator()(Py_buffer* view) const noexcept;
  };
  std::unique_ptr<Py_buffer, Release> view_;
};

/// The numbers of an array without gaps.
template <class Number>
std::span<Number> span_of(const Buffer& buffer, Type type) {
  const ConstView view = buffer.numbers(type);
  if (!view.is_contiguous() && view.count > 1) throw Error(ErrorKind::internal, "an array with gaps reached the core");
  return {reinterpret_cast<Number*>(buffer.data()), buffer.count()};
}

/// An array of the elements of a vector, which it owns.
template <class Number, class Item>
[[nodiscard]] Array<Number> array_of(std::vector<Item> items) {
  auto held = std::make_unique<std::vector<Item>>(std::move(items));
  auto* const numbers = reinterpret_cast<Number*>(held->data());
  const std::size_t count = held->size() * sizeof(Item) / sizeof(Number);
  const nanobind::capsule owner(held.release(), [](void* memory) noexcept {
    const std::unique_ptr<std::vector<Item>> gone(static_cast<std::vector<Item>*>(memory));
  });
  return {numbers, {count}, owner};
}

}  // namespace quire::python
