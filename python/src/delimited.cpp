// Text in rows and cells, for importing and exporting tables.

#include "kernels/delimited.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "quire/base/error.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// A piece of text, held while its cells are looked at.
class HeldBlock {
 public:
  HeldBlock(const Text& delimiter, const Text& comment, const std::vector<Text>& missing)
      : block_({mark(delimiter), mark(comment), words(missing)}) {}

  std::size_t split(nb::bytes text, bool is_last, std::size_t columns, std::uint64_t first_line) {
    text_ = std::move(text);
    const std::string_view bytes(text_.c_str(), text_.size());
    const nb::gil_scoped_release unlocked;
    return block_.split(bytes, is_last, columns, first_line);
  }

  [[nodiscard]] const kernels::DelimitedBlock& block() const noexcept { return block_; }

  [[nodiscard]] std::vector<std::uint8_t> classify(std::vector<std::uint8_t> kinds) const {
    kinds.resize(block_.columns());
    const nb::gil_scoped_release unlocked;
    block_.classify(kinds);
    return kinds;
  }

  [[nodiscard]] std::uint64_t text_bytes(std::size_t column, std::size_t first, std::size_t last) const {
    const auto lengths = block_.text_bytes(column);
    std::uint64_t sum = 0;
    for (std::size_t row = first; row < last; ++row) sum += lengths.at(row);
    return sum;
  }

  [[nodiscard]] std::uint64_t longest_text(std::size_t column, std::size_t first, std::size_t last) const {
    const auto lengths = block_.text_bytes(column);
    std::uint64_t longest = 0;
    for (std::size_t row = first; row < last; ++row) longest = std::max(longest, lengths.at(row));
    return longest;
  }

  [[nodiscard]] Texts texts(std::size_t column) const {
    PackedStrings packed;
    block_.texts(column, packed);
    nb::list texts;
    for (std::size_t row = 0; row < packed.size(); ++row) texts.append(decode(packed[row]));
    return texts;
  }

  void values(std::size_t column, const Text& type, Unchecked<AnyArray> out) const {
    const Buffer buffer(out, Buffer::Use::fill);
    if (buffer.count() != block_.rows()) throw Error(ErrorKind::internal, "an array of another length");
    const View view = buffer.target(type_named(type.value));
    const nb::gil_scoped_release unlocked;
    block_.values(column, view);
  }

 private:
  static char mark(const Text& text) {
    if (text.value.size() > 1) throw Error(ErrorKind::usage, "a delimiter and a comment are one byte each");
    return text.value.empty() ? '\0' : text.value[0];
  }

  static std::vector<std::string> words(const std::vector<Text>& texts) {
    std::vector<std::string> found;
    for (const Text& text : texts) found.push_back(text.value);
    return found;
  }

  kernels::DelimitedBlock block_;
  nb::bytes text_{"", 0};
};

/// Rows as bytes. A column is (type, array of numbers), or (type, offsets, bytes) of strings.
nb::bytes print_rows(const ListOf<Tuple<nb::any>>& columns, const Text& delimiter) {
  std::deque<Buffer> buffers;
  std::deque<PackedStrings> strings;
  std::vector<ConstView> views;
  for (const nb::handle column : columns) {
    const Type type = type_named(nb::cast<Text>(column[0]).value);
    if (type != Type::string) {
      views.push_back(buffers.emplace_back(column[1], Buffer::Use::look).numbers(type));
      continue;
    }
    const Buffer& offsets = buffers.emplace_back(column[1], Buffer::Use::look);
    const Buffer& bytes = buffers.emplace_back(column[2], Buffer::Use::look);
    PackedStrings& packed = strings.emplace_back();
    const auto* places = reinterpret_cast<const std::uint64_t*>(offsets.data());
    packed.offsets.assign(places, places + offsets.count());
    packed.bytes.assign(reinterpret_cast<const char*>(bytes.data()),
                        reinterpret_cast<const char*>(bytes.data()) + bytes.count());
    views.emplace_back(packed);
  }
  for (const ConstView& view : views) {
    if (view.count != views[0].count) throw Error(ErrorKind::internal, "columns of different lengths");
  }
  std::string out;
  {
    const nb::gil_scoped_release unlocked;
    kernels::append_rows(views, delimiter.value, out);
  }
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_delimited(nb::module_& module) {
  nb::class_<HeldBlock>(module, "DelimitedBlock")
      .def(nb::init<const Text&, const Text&, const std::vector<Text>&>(), nb::arg("delimiter"), nb::arg("comment"),
           nb::arg("missing") = nb::list())
      .def("split", &HeldBlock::split, nb::arg("text"), nb::arg("is_last"), nb::arg("columns"), nb::arg("first_line"))
      .def_prop_ro("rows", [](const HeldBlock& self) { return self.block().rows(); })
      .def_prop_ro("columns", [](const HeldBlock& self) { return self.block().columns(); })
      .def_prop_ro("next_line", [](const HeldBlock& self) { return self.block().next_line(); })
      .def("classify", &HeldBlock::classify, nb::arg("kinds"))
      .def("text_bytes", &HeldBlock::text_bytes, nb::arg("column"), nb::arg("first"), nb::arg("last"))
      .def("longest_text", &HeldBlock::longest_text, nb::arg("column"), nb::arg("first"), nb::arg("last"))
      .def("texts", &HeldBlock::texts, nb::arg("column"))
      .def("values", &HeldBlock::values, nb::arg("column"), nb::arg("type"), nb::arg("out"));
  module.def("print_rows", &print_rows, nb::arg("columns"), nb::arg("delimiter"));
}

}  // namespace quire::python
