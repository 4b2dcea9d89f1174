#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"

namespace quire {

/// True for values that a vector stores contiguously in their native representation.
template <class Value>
inline constexpr bool is_plain = (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) || std::is_enum_v<Value>;

/// Serializes values, one after another, into bytes that another rank of the same program reads back.
///
/// Not a file format: byte order and sizes are those of the running machine.
/// A class needs a member template `template <class Archive> void archive(Archive& a) { a(first, second); }`.
class Packer {
 public:
  /// Reserves memory for a typical message: repeated growth costs more than the packing.
  Packer() { bytes_.reserve(512); }
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      const auto* first = reinterpret_cast<const std::byte*>(&value);
      bytes_.insert(bytes_.end(), first, first + sizeof value);
    } else {
      // archive() serves both directions and is therefore not const; packing only reads.
      const_cast<Value&>(value).archive(*this);
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), first, first + text.size());
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class Value>
  void put(const std::vector<Value>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    if constexpr (is_plain<Value>) {
      const auto* first = reinterpret_cast<const std::byte*>(values.data());
      bytes_.insert(bytes_.end(), first, first + values.size() * sizeof(Value));
    } else {
      for (const Value& value : values) put(value);
    }
  }

  std::vector<std::byte> bytes_;
};

/// The inverse of Packer. Throws internal errors when the bytes end early.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

 private:
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      std::memcpy(&value, next(sizeof value).data(), sizeof value);
    } else {
      value.archive(*this);
    }
  }
  void get(std::string& text) {
    const auto bytes = next(length());
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present) get(value.emplace());
  }
  template <class Value>
  void get(std::vector<Value>& values) {
    values.clear();
    const std::size_t count = length();
    if constexpr (is_plain<Value>) {
      if (count > bytes_.size() / sizeof(Value)) throw Error(ErrorKind::internal, "a packed message ends early");
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), next(count * sizeof(Value)).data(), count * sizeof(Value));
    } else {
      for (std::size_t i = 0; i < count; ++i) get(values.emplace_back());
    }
  }
  std::size_t length() {
    std::uint64_t count = 0;
    get(count);
    if (count > bytes_.size()) throw Error(ErrorKind::internal, "the length in a packed message exceeds its size");
    return static_cast<std::size_t>(count);
  }
  std::span<const std::byte> next(std::size_t count) {
    if (count > bytes_.size()) throw Error(ErrorKind::internal, "a packed message ends early");
    const auto head = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return head;
  }

  std::span<const std::byte> bytes_;
};

template <class Value>
[[nodiscard]] std::vector<std::byte> pack(const Value& value) {
  Packer packer;
  packer(value);
  return packer.take();
}

template <class Value>
[[nodiscard]] Value unpack(std::span<const std::byte> bytes) {
  Value value;
  Unpacker unpacker(bytes);
  unpacker(value);
  return value;
}

}  // namespace quire
