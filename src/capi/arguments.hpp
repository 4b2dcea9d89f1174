#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"
#include "quire/quire.h"

/// What the arguments of C functions become. All throw usage errors unless stated otherwise.
namespace quire::capi {

[[nodiscard]] Error usage(const std::string& message);

[[nodiscard]] const char* not_null(const char* text, const char* what);
[[nodiscard]] std::string text_or_empty(const char* text);

[[nodiscard]] Type type_of(quire_type type);
/// A type of fixed size. Throws unsupported errors for strings.
[[nodiscard]] Type number_type(quire_type type);

/// A list of the caller. Null is an empty one.
template <class Element>
[[nodiscard]] std::span<const Element> list(const Element* first, std::uint64_t count, const char* what) {
  if (first == nullptr && count > 0) throw usage(std::string(what) + " are a null pointer");
  return {first, static_cast<std::size_t>(count)};
}

template <class Element>
[[nodiscard]] std::vector<Element> copy_of(const Element* first, std::uint64_t count, const char* what) {
  const auto all = list(first, count, what);
  return {all.begin(), all.end()};
}

/// Copies of texts that end with a zero byte.
[[nodiscard]] std::vector<std::string> texts_of(const char* const* texts, std::uint64_t count, const char* what);

/// A place for a result.
template <class Result>
[[nodiscard]] Result& place(Result* result, const char* what) {
  if (result == nullptr) throw usage(std::string(what) + " is a null pointer");
  return *result;
}

/// Fills a structure of the caller, who may know fewer members, or more, which become 0.
template <class Info>
void fill_in(const Info& known, Info* info, std::uint64_t size) {
  if (info == nullptr) throw usage("the structure is a null pointer");
  if (size < sizeof(void*)) throw usage("the size of the structure is not that of any version");
  std::memset(info, 0, size);
  std::memcpy(info, &known, std::min<std::uint64_t>(size, sizeof known));
}

/// A structure of the caller, who may know fewer members than this version.
template <class Input>
[[nodiscard]] Input known_members(const Input* given, const char* initialiser) {
  Input known = {};
  if (given == nullptr) return known;
  if (given->size < sizeof given->size + sizeof(void*)) {
    throw usage("the structure was not initialised").advise("begin with " + std::string(initialiser) + "()");
  }
  std::memcpy(&known, given, std::min<std::uint64_t>(given->size, sizeof known));
  return known;
}

/// A hyperslab of `axes` axes; null strides and blocks are 1.
[[nodiscard]] Hyperslab hyperslab(std::uint64_t axes, const std::uint64_t* start, const std::uint64_t* stride,
                                  const std::uint64_t* count, const std::uint64_t* block);

/// What attributes, columns and fields have in common.
[[nodiscard]] Quantity quantity_of(const char* name, Type type, const char* unit, Quantity texts);

}  // namespace quire::capi
