#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace quire::python {

// What the signatures of the bindings say, from which scripts/write_stub.py makes quire/_core.pyi. Only the outermost
// type of an argument is checked by nanobind.

/// nanobind::typed, which in nanobind 2.5 cannot be made from the object that it describes.
template <class Type, class... Items>
struct Typed : Type {
  static constexpr bool nb_typed = true;
  using Type::Type;
  Typed(const Type& held) : Type(held) {}
  Typed(Type&& held) : Type(std::move(held)) {}
};

template <class Item>
using ListOf = Typed<nanobind::list, Item>;
template <class... Items>
using TupleOf = Typed<nanobind::tuple, Items...>;
/// A tuple of any length.
template <class Item>
using Tuple = Typed<nanobind::tuple, Item, nanobind::ellipsis>;
/// A dict with keys of str.
template <class Value>
using DictOf = Typed<nanobind::dict, nanobind::str, Value>;
/// An argument that nanobind does not check at all.
template <class Type>
using Unchecked = Typed<nanobind::handle, Type>;
/// A sequence whose items nanobind does not check.
template <class Item>
using SequenceOf = std::vector<Typed<nanobind::object, Item>>;
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

template <class Type, class... Items>
struct type_caster<quire::python::Typed<Type, Items...>> {
  using Typed = quire::python::Typed<Type, Items...>;
  NB_TYPE_CASTER(Typed, (typed_name<Type, Items...>::Name))

  bool from_python(handle source, auto flags, cleanup_list* cleanup) noexcept {
    make_caster<Type> caster;
    if (!caster.from_python(source, flags, cleanup)) return false;
    value = caster.operator cast_t<Type>();
    return true;
  }

  static handle from_cpp(const Typed& source, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Type>::from_cpp(source, policy, cleanup);
  }
};

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
