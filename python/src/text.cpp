#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {

nb::str decode(std::string_view bytes) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

bool encode(nb::handle text, std::string& bytes) {
  if (PyBytes_Check(text.ptr())) {
    bytes.assign(PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr())));
    return true;
  }
  if (!PyUnicode_Check(text.ptr())) return false;
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
    bytes.assign(utf8, static_cast<std::size_t>(size));
    return true;
  }
  PyErr_Clear();
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) {
    PyErr_Clear();
    return false;
  }
  return encode(encoded, bytes);
}

Texts decode_all(const std::vector<std::string>& texts) {
  nb::list all;
  for (const std::string& text : texts) all.append(decode(text));
  return all;
}

}  // namespace quire::python
