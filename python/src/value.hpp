#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/model/value.hpp"
#include "typing.hpp"

namespace quire::python {

/// The elements of a value as Python gives them.
using GivenElements =
    Unchecked<std::variant<nanobind::bytes, std::vector<std::variant<nanobind::str, nanobind::bytes>>>>;

/// A value from what Python gives: the bytes of all elements, or for strings a list of str.
[[nodiscard]] Value make_value(Type type, std::vector<std::uint64_t> shape, nanobind::handle elements);

/// The elements of a value in the same form.
[[nodiscard]] std::variant<nanobind::bytes, Texts> elements_of(const Value& value);

/// The strings of a sequence of str or bytes. Throws type errors that name the element.
[[nodiscard]] PackedStrings pack_strings(nanobind::handle sequence);

/// A tuple of int, for shapes and the like.
[[nodiscard]] Tuple<std::uint64_t> to_tuple(const std::vector<std::uint64_t>& numbers);

}  // namespace quire::python
