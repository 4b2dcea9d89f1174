#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

namespace quire::python {

// What the signatures of the bindings say, from which scripts/write_stub.py makes quire/_core.pyi. Only the outermost
// type of an argument is checked by nanobind.

template <class Item>
using ListOf = nanobind::typed<nanobind::list, Item>;
template <class... Items>
using TupleOf = nanobind::typed<nanobind::tuple, Items...>;
/// A tuple of any length.
template <class Item>
using Tuple = nanobind::typed<nanobind::tuple, Item, nanobind::ellipsis>;
/// A dict with keys of str.
template <class Value>
using DictOf = nanobind::typed<nanobind::dict, nanobind::str, Value>;
/// An argument that nanobind does not check at all.
template <class Type>
using Unchecked = nanobind::typed<nanobind::handle, Type>;
/// A sequence whose items nanobind does not check.
template <class Item>
using SequenceOf = std::vector<nanobind::typed<nanobind::object, Item>>;
template <class Number>
using Array = nanobind::ndarray<nanobind::numpy, Number>;

// Types of Python that have no type here.
struct AnyArray {};
struct AnyError {};
struct Never {};

using Texts = ListOf<nanobind::str>;
using Numbers = std::vector<std::uint64_t>;
/// Offset and length of each part of a file.
using ExtentList = ListOf<TupleOf<std::uint64_t, std::uint64_t>>;

}  // namespace quire::python

namespace nanobind::detail {

template <>
struct type_caster<quire::python::AnyArray> {
  static constexpr auto Name = const_name("numpy.typing.NDArray[typing.Any]");
};
template <>
struct type_caster<quire::python::AnyError> {
  static constexpr auto Name = const_name("quire.errors.Error");
};
template <>
struct type_caster<quire::python::Never> {
  static constexpr auto Name = const_name("typing.NoReturn");
};

}  // namespace nanobind::detail
