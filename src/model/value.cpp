#include "quire/model/value.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "model/conversion.hpp"
#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/load.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire {
namespace {

/// Element `index` of packed native values.
template <class Number>
Number element(std::span<const std::byte> bytes, std::size_t index) {
  return load_at<Number>(bytes.data() + index * sizeof(Number));
}

template <class Number>
std::string shortest_text(Number number) {
  if constexpr (std::is_same_v<Number, char>) {
    return {number};
  } else {
    std::array<char, 64> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), result.ptr};
  }
}

[[noreturn]] void fail_conversion(Type from, Type to, const std::string& value) {
  throw Error(ErrorKind::type,
              "the " + std::string(name(from)) + " value " + value + " has no equal of type " + std::string(name(to)));
}

template <class Target>
Target converted_element(const Value& value, std::size_t index, bool lossy) {
  if (index >= value.count()) throw Error(ErrorKind::usage, "element " + std::to_string(index) + " is out of range");
  if (value.type() == Type::string)
    fail_conversion(Type::string, TypeOf<Target>::value, '"' + value.strings()[index] + '"');
  return visit_type(value.type(), [&](auto source) {
    const auto number = element<typename decltype(source)::type>(value.bytes(), index);
    if (!lossy && !fits<Target>(number)) fail_conversion(value.type(), TypeOf<Target>::value, shortest_text(number));
    return forced<Target>(number);
  });
}

}  // namespace

Value Value::numbers(Type type, std::vector<std::uint64_t> shape, std::span<const std::byte> bytes) {
  if (type == Type::string || checked_multiply(volume(shape), size_of(type)) != bytes.size()) {
    throw Error(ErrorKind::usage, "a value's bytes do not match its type and shape");
  }
  Value value;
  value.type_ = type;
  value.shape_ = std::move(shape);
  value.strings_.clear();
  value.bytes_ = copy_of(bytes);
  return value;
}

Value Value::texts(std::vector<std::uint64_t> shape, std::vector<std::string> strings) {
  if (volume(shape) != strings.size()) throw Error(ErrorKind::usage, "a value's strings do not match its shape");
  Value value;
  value.shape_ = std::move(shape);
  value.strings_ = std::move(strings);
  return value;
}

std::vector<std::byte> Value::copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

std::uint64_t Value::count() const noexcept {
  return type_ == Type::string ? strings_.size() : bytes_.size() / size_of(type_);
}

double Value::as_double(std::size_t index) const { return converted_element<double>(*this, index, false); }

std::int64_t Value::as_integer(std::size_t index) const { return converted_element<std::int64_t>(*this, index, false); }

std::string Value::as_text(std::size_t index) const {
  if (index >= count()) throw Error(ErrorKind::usage, "element " + std::to_string(index) + " is out of range");
  if (type_ == Type::string) return strings_[index];
  return visit_type(
      type_, [&](auto source) { return shortest_text(element<typename decltype(source)::type>(bytes_, index)); });
}

Value Value::converted_to(Type type, bool lossy) const {
  if (type == type_) return *this;
  if (type == Type::string) fail_conversion(type_, type, as_text());
  Value result;
  result.type_ = type;
  result.shape_ = shape_;
  result.strings_.clear();
  visit_type(type, [&](auto target) {
    using Target = typename decltype(target)::type;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto number = converted_element<Target>(*this, i, lossy);
      const auto bytes = std::as_bytes(std::span<const Target>(&number, 1));
      result.bytes_.insert(result.bytes_.end(), bytes.begin(), bytes.end());
    }
  });
  return result;
}

}  // namespace quire
