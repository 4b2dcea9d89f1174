#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "typing.hpp"

namespace quire::python {

/// Text that crosses between Python and the library. Files hold bytes of any encoding: they are taken for UTF-8, and
/// what is not becomes lone surrogates in Python, so that every text comes back as the same bytes.
struct Text {
  std::string value;
};

/// A Python str (a new object) from the bytes of a file.
[[nodiscard]] nanobind::str decode(std::string_view bytes);

/// The bytes of a Python str or bytes object; false if it is neither.
[[nodiscard]] bool encode(nanobind::handle text, std::string& bytes);

[[nodiscard]] Texts decode_all(const std::vector<std::string>& texts);

}  // namespace quire::python

namespace nanobind::detail {

template <>
struct type_caster<quire::python::Text> {
  NB_TYPE_CASTER(quire::python::Text, const_name("str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    return quire::python::encode(source, value.value);
  }
  static handle from_cpp(const quire::python::Text& text, rv_policy, cleanup_list*) noexcept {
    return quire::python::decode(text.value).release();
  }
};

}  // namespace nanobind::detail
