#include "value.hpp"

#include <string>

#include "buffer.hpp"
#include "quire/base/error.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {

PackedStrings pack_strings(nb::handle sequence) {
  const nb::object items = nb::steal(PySequence_Fast(sequence.ptr(), "strings must come as a sequence"));
  if (!items.is_valid()) throw nb::python_error();
  PackedStrings packed;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.ptr());
  packed.offsets.reserve(static_cast<std::size_t>(count) + 1);
  std::string text;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::handle item = PySequence_Fast_GET_ITEM(items.ptr(), i);
    if (!encode(item, text)) {
      const std::string what = PyUnicode_Check(item.ptr())
                                   ? "contains a character that UTF-8 cannot encode"
                                   : std::string("is of type ") + nb::type_name(item.type()).c_str();
      throw Error(ErrorKind::type, "element " + std::to_string(i) + " " + what);
    }
    packed.push_back(text);
  }
  return packed;
}

Value make_value(Type type, std::vector<std::uint64_t> shape, nb::handle elements) {
  if (type == Type::string) {
    const PackedStrings packed = pack_strings(elements);
    std::vector<std::string> strings;
    strings.reserve(packed.size());
    for (std::size_t i = 0; i < packed.size(); ++i) strings.emplace_back(packed[i]);
    return Value::texts(std::move(shape), std::move(strings));
  }
  std::string bytes;
  if (!encode(elements, bytes)) throw Error(ErrorKind::internal, "a value without bytes reached the core");
  return Value::numbers(type, std::move(shape), std::as_bytes(std::span<const char>(bytes)));
}

std::variant<nb::bytes, Texts> elements_of(const Value& value) {
  if (value.type() == Type::string) return decode_all(value.strings());
  const auto bytes = value.bytes();
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Tuple<std::uint64_t> to_tuple(const std::vector<std::uint64_t>& numbers) {
  nb::list list;
  for (const std::uint64_t number : numbers) list.append(nb::int_(number));
  return nb::tuple(list);
}

}  // namespace quire::python
