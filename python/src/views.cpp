#include "bindings.hpp"
#include "quire/format/view_file.hpp"
#include "quire/model/description.hpp"
#include "text.hpp"
#include "typing.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

using PieceTuple = TupleOf<nb::str, nb::str, Numbers, Numbers, Numbers>;
using ViewTuple = TupleOf<nb::str, nb::str, Numbers, double, ListOf<PieceTuple>>;

std::string text_at(const nb::tuple& parts, std::size_t place) { return nb::cast<Text>(parts[place]).value; }

ViewDataset view_from(nb::handle given) {
  const auto parts = nb::cast<nb::tuple>(given);
  ViewDataset view{text_at(parts, 0), type_named(text_at(parts, 1)), nb::cast<Numbers>(parts[2]),
                   nb::cast<double>(parts[3])};
  for (const nb::handle item : nb::cast<nb::list>(parts[4])) {
    const auto piece = nb::cast<nb::tuple>(item);
    view.pieces.push_back({text_at(piece, 0), text_at(piece, 1), nb::cast<Numbers>(piece[2]),
                           nb::cast<Numbers>(piece[3]), nb::cast<Numbers>(piece[4])});
  }
  return view;
}

nb::bytes view_file(const Texts& groups, const ListOf<TupleOf<nb::str, Attribute>>& attributes,
                    const ListOf<TupleOf<nb::str, Attribute>>& values,
                    const ListOf<TupleOf<nb::str, std::uint64_t>>& counts, const ListOf<ViewTuple>& views) {
  ViewFile file;
  for (const nb::handle group : groups) file.groups.push_back(nb::cast<Text>(group).value);
  for (const nb::handle item : attributes) {
    const auto parts = nb::cast<nb::tuple>(item);
    auto attribute = nb::cast<Attribute>(parts[1]);
    file.attributes.push_back({text_at(parts, 0), std::move(attribute.name), std::move(attribute.value)});
  }
  for (const nb::handle item : values) {
    const auto parts = nb::cast<nb::tuple>(item);
    file.values.emplace_back(text_at(parts, 0), nb::cast<const Attribute&>(parts[1]).value);
  }
  for (const nb::handle item : counts) {
    const auto parts = nb::cast<nb::tuple>(item);
    file.counts.emplace_back(text_at(parts, 0), nb::cast<std::uint64_t>(parts[1]));
  }
  for (const nb::handle view : views) file.views.push_back(view_from(view));
  std::vector<std::byte> bytes;
  {
    nb::gil_scoped_release release;
    bytes = view_file_bytes(file);
  }
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

void bind_views(nb::module_& module) {
  module.def("view_file", &view_file, nb::arg("groups"), nb::arg("attributes"), nb::arg("values"), nb::arg("counts"),
             nb::arg("views"));
}

}  // namespace quire::python
