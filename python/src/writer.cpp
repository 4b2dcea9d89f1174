#include "quire/api/writer.hpp"

#include "bindings.hpp"
#include "buffer.hpp"
#include "handles.hpp"
#include "options.hpp"
#include "quire/api/elements.hpp"
#include "selection.hpp"
#include "text.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// Ends a step by `end` and lets go of the caller's arrays, whatever comes.
template <class End>
void finish(WriteStepHandle& self, End&& end) {
  try {
    self.file->run([&](Writer&) { end(self.step); });
  } catch (...) {
    self.held.release();
    throw;
  }
  self.held.release();
}

/// As finish(), for calls after which no earlier step is in flight.
template <class End>
void finish_next(WriteStepHandle& self, End&& end) {
  finish(self, std::forward<End>(end));
  self.file->lent.release();
}

void commit_async(WriteStepHandle& self, bool borrow) {
  if (!borrow) return finish_next(self, [](WriteStep& step) { step.commit_async(); });
  self.file->run([&](Writer&) { self.step.commit_async({.borrow = true}); });
  self.file->lent.release();
  std::swap(self.file->lent, self.held);
}

/// Runs a call of the file after which no step is in flight, even if it throws.
template <class Call>
void settle(WriterHandle& self, Call&& call) {
  try {
    self.file->run(call);
  } catch (...) {
    self.file->lent.release();
    throw;
  }
  self.file->lent.release();
}

bool test_in_flight(WriterHandle& self) {
  bool is_settled = false;
  const auto test = [&](Writer& writer) {
    is_settled = true;  // also if it throws
    is_settled = writer.test();
  };
  try {
    self.file->run(test);
  } catch (...) {
    if (is_settled) self.file->lent.release();
    throw;
  }
  if (is_settled) self.file->lent.release();
  return is_settled;
}

Attribute make_attribute(const Quantity& quantity, std::vector<std::uint64_t> shape, GivenElements elements) {
  Attribute attribute{quantity, make_value(quantity.type, std::move(shape), elements)};
  return attribute;
}

void put_column(WriteStepHandle& self, const Text& table, const Quantity& column, const Text& type,
                Unchecked<nb::any> values) {
  const ConstView view = self.held.view(type_named(type.value), values);
  self.step.table(table.value).put(Column{column}, view);
}

/// An attribute of a field: quantity, shape and elements.
using AttributeTuple = TupleOf<Quantity, Numbers, nb::any>;
/// What a field is besides its values: quantity, group, extents, attributes, and origin, spacing, coordinates.
using FieldTuple = TupleOf<Quantity, nb::str, Numbers, ListOf<AttributeTuple>, std::vector<double>, std::vector<double>,
                           std::vector<std::vector<double>>>;

Field make_field(const FieldTuple& given) {
  Field field{nb::cast<const Quantity&>(given[0]),
              nb::cast<std::vector<std::uint64_t>>(given[2]),
              1,
              nb::cast<Text>(given[1]).value,
              {},
              {}};
  for (const nb::handle item : nb::cast<nb::list>(given[3])) {
    field.attributes.push_back(make_attribute(nb::cast<const Quantity&>(item[0]),
                                              nb::cast<std::vector<std::uint64_t>>(item[1]), nb::object(item[2])));
  }
  field.geometry.origin = nb::cast<std::vector<double>>(given[4]);
  field.geometry.spacing = nb::cast<std::vector<double>>(given[5]);
  field.geometry.coordinates = nb::cast<std::vector<std::vector<double>>>(given[6]);
  return field;
}

void put_field(WriteStepHandle& self, const FieldTuple& field, Unchecked<Slabs> slabs, const Text& type,
               const ListOf<nb::any>& components, Unchecked<Places> memory) {
  std::vector<ConstView> views;
  for (const nb::handle component : components) views.push_back(self.held.view(type_named(type.value), component));
  self.step.put_field(make_field(field), selection_from(slabs), std::move(views), memory_from(memory));
}

Field make_field(const FieldTuple& given, std::uint64_t components) {
  Field field = make_field(given);
  field.components = components;
  return field;
}

/// The columns of a block, or the components of a part: pairs of type and values.
using Sources = ListOf<TupleOf<nb::str, nb::any>>;

std::vector<ConstView> block_views(Held& held, const Sources& arrays) {
  std::vector<ConstView> views;
  for (const nb::handle item : arrays) {
    views.push_back(held.view(type_named(nb::cast<Text>(item[0]).value), item[1]));
  }
  return views;
}

void weigh_block(WriteStepHandle& self, const Text& table, const Sources& arrays) {
  Held held;
  const std::vector<ConstView> views = block_views(held, arrays);
  self.file->run([&](Writer&) { self.step.weigh(table.value, views); });
}

void write_block(WriteStepHandle& self, const Text& table, std::uint64_t first, const Sources& arrays) {
  Held held;
  const std::vector<ConstView> views = block_views(held, arrays);
  self.file->run([&](Writer&) { self.step.write(table.value, first, views); });
}

void weigh_part(WriteStepHandle& self, const Text& field, std::vector<std::uint64_t> start,
                std::vector<std::uint64_t> count, const Sources& arrays) {
  Held held;
  const std::vector<ConstView> views = block_views(held, arrays);
  const Box part{std::move(start), std::move(count)};
  self.file->run([&](Writer&) { self.step.weigh_field(field.value, part, views); });
}

void write_part(WriteStepHandle& self, const Text& field, std::vector<std::uint64_t> start,
                std::vector<std::uint64_t> count, const Sources& arrays) {
  Held held;
  const std::vector<ConstView> views = block_views(held, arrays);
  const Box part{std::move(start), std::move(count)};
  self.file->run([&](Writer&) { self.step.write_field(field.value, part, views); });
}

/// Expansion, ids, modes of each direction, variables, their values.
using PartTuple = TupleOf<Expansion, AnyArray, ListOf<AnyArray>, Texts, ListOf<AnyArray>>;

void put_elements(WriteStepHandle& self, const ListOf<PartTuple>& parts, const ElementLayout& layout) {
  std::vector<ElementPart> all;
  for (const nb::handle item : parts) {
    ElementPart& part = all.emplace_back();
    part.expansion = nb::cast<const Expansion&>(item[0]);
    part.ids = self.held.view(Type::uint32, item[1]);
    for (const nb::handle modes : nb::cast<nb::list>(item[2]))
      part.modes.push_back(self.held.view(Type::uint32, modes));
    for (const Text& name : nb::cast<std::vector<Text>>(item[3])) part.variables.push_back(name.value);
    for (const nb::handle values : nb::cast<nb::list>(item[4])) {
      part.values.push_back(self.held.view(Type::float64, values));
    }
  }
  quire::put_elements(self.step, all, layout);
}

WriteOptions write_options(const Text& format, const Text& transport, bool durable, bool lossy,
                           std::optional<std::int64_t> deadline, const OptionDict& options) {
  WriteOptions write;
  write.format = format.value;
  write.transport = transport.value;
  write.durable = durable;
  write.lossy = lossy;
  write.deadline = deadline_from(deadline);
  write.options = options_from(options);
  return write;
}

WriterHandle create_file(const Text& path, const Comm& comm, const Text& format, const Text& transport, bool durable,
                         bool lossy, std::optional<std::int64_t> deadline, const OptionDict& options) {
  const WriteOptions write = write_options(format, transport, durable, lossy, deadline, options);
  const nb::gil_scoped_release release;
  return {std::make_shared<OpenWriter>(create(path.value, comm, write))};
}

WriterHandle append_file(const Text& path, const Comm& comm, std::optional<std::int64_t> after, bool drop,
                         const Text& format, const Text& transport, bool durable, bool lossy,
                         std::optional<std::int64_t> deadline, const OptionDict& options) {
  const WriteOptions write = write_options(format, transport, durable, lossy, deadline, options);
  const nb::gil_scoped_release release;
  return {std::make_shared<OpenWriter>(append(path.value, comm, after, drop ? Later::drop : Later::refuse, write))};
}

void bind_step_writer(nb::module_& module) {
  nb::class_<WriteStepHandle>(module, "WriteStep")
      .def(
          "set",
          [](WriteStepHandle& self, const Quantity& quantity, std::vector<std::uint64_t> shape,
             GivenElements elements) { self.step.set(make_attribute(quantity, std::move(shape), elements)); },
          nb::arg("quantity"), nb::arg("shape"), nb::arg("elements"))
      .def(
          "rows",
          [](WriteStepHandle& self, const Text& table, std::uint64_t count) {
            self.step.table(table.value).rows(count);
          },
          nb::arg("table"), nb::arg("count"))
      .def(
          "rows_at",
          [](WriteStepHandle& self, const Text& table, Unchecked<Slabs> slabs, std::optional<std::uint64_t> total) {
            self.step.table(table.value).rows_at(selection_from(slabs), total);
          },
          nb::arg("table"), nb::arg("rows"), nb::arg("total").none())
      .def(
          "rows_at_list",
          [](WriteStepHandle& self, const Text& table,
             const nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& rows,
             std::optional<std::uint64_t> total) {
            self.step.table(table.value)
                .rows_at(std::vector<std::uint64_t>(rows.data(), rows.data() + rows.size()), total);
          },
          nb::arg("table"), nb::arg("rows"), nb::arg("total").none())
      .def(
          "expansion",
          [](WriteStepHandle& self, const Text& table, const Expansion& expansion) {
            self.step.table(table.value).expansion(expansion);
          },
          nb::arg("table"), nb::arg("expansion"))
      .def("put_elements", &put_elements, nb::arg("parts"), nb::arg("layout"))
      .def("put", &put_column, nb::arg("table"), nb::arg("column"), nb::arg("type"), nb::arg("values"))
      .def(
          "put_constant",
          [](WriteStepHandle& self, const Text& table, const Quantity& quantity, std::vector<std::uint64_t> shape,
             GivenElements elements) {
            self.step.table(table.value).put_constant(make_attribute(quantity, std::move(shape), elements));
          },
          nb::arg("table"), nb::arg("quantity"), nb::arg("shape"), nb::arg("elements"))
      .def("put_field", &put_field, nb::arg("field"), nb::arg("selection"), nb::arg("type"), nb::arg("components"),
           nb::arg("memory"))
      .def(
          "declare",
          [](WriteStepHandle& self, const Text& table, const Quantity& column, std::uint64_t string_bytes,
             std::uint64_t longest_string) {
            self.step.table(table.value).declare(Column{column, longest_string}, string_bytes);
          },
          nb::arg("table"), nb::arg("column"), nb::arg("string_bytes"), nb::arg("longest_string"))
      .def(
          "declare_field",
          [](WriteStepHandle& self, const FieldTuple& field, std::uint64_t components, std::vector<std::uint64_t> start,
             std::vector<std::uint64_t> count) {
            self.step.declare_field(make_field(field, components), Box{std::move(start), std::move(count)});
          },
          nb::arg("field"), nb::arg("components"), nb::arg("start"), nb::arg("count"))
      .def(
          "field_chunk",
          [](const WriteStepHandle& self, const FieldTuple& field, std::uint64_t components) {
            return to_tuple(self.step.field_chunk(make_field(field, components)));
          },
          nb::arg("field"), nb::arg("components"))
      .def("agree_on_rows", [](WriteStepHandle& self) { self.file->run([&](Writer&) { self.step.agree_on_rows(); }); })
      .def("weigh", &weigh_block, nb::arg("table"), nb::arg("arrays"))
      .def("weigh_field", &weigh_part, nb::arg("field"), nb::arg("start"), nb::arg("count"), nb::arg("arrays"))
      .def("open", [](WriteStepHandle& self) { self.file->run([&](Writer&) { self.step.open(); }); })
      .def("write", &write_block, nb::arg("table"), nb::arg("first"), nb::arg("arrays"))
      .def("write_field", &write_part, nb::arg("field"), nb::arg("start"), nb::arg("count"), nb::arg("arrays"))
      .def("commit", [](WriteStepHandle& self) { finish_next(self, [](WriteStep& step) { step.commit(); }); })
      .def("commit_async", &commit_async, nb::arg("borrow"))
      .def(
          "abort",
          [](WriteStepHandle& self, const Text& reason) {
            finish(self, [&](WriteStep& step) { step.abort(reason.value); });
          },
          nb::arg("reason"));
}

}  // namespace

void bind_writer(nb::module_& module) {
  bind_step_writer(module);
  nb::class_<WriterHandle>(module, "Writer")
      .def(
          "set", [](WriterHandle& self, const Attribute& attribute) { self.file->opened.set(attribute); },
          nb::arg("attribute"))
      .def(
          "describe",
          [](WriterHandle& self, const Text& title, const Text& contents) {
            self.file->opened.describe(title.value, contents.value);
          },
          nb::arg("title"), nb::arg("contents"))
      .def(
          "declare",
          [](WriterHandle& self, const StepDescription& step) {
            self.file->run([&](Writer& writer) { writer.declare(step); });
          },
          nb::arg("step"))
      .def(
          "step",
          [](WriterHandle& self, std::int64_t number) {
            return WriteStepHandle{self.file, Held{},
                                   self.file->run([&](Writer& writer) { return writer.step(number); })};
          },
          nb::arg("number"))
      .def(
          "attach",
          [](WriterHandle& self, const Text& name, const nb::bytes& content, bool replace,
             const std::optional<Error>& refusal) {
            const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(content.c_str()), content.size());
            self.file->run([&](Writer& writer) { writer.attach(name.value, bytes, replace, refusal); });
          },
          nb::arg("name"), nb::arg("content"), nb::arg("replace"), nb::arg("refusal").none())
      .def(
          "detach",
          [](WriterHandle& self, const Text& name, const std::optional<Error>& refusal) {
            self.file->run([&](Writer& writer) { writer.detach(name.value, refusal); });
          },
          nb::arg("name"), nb::arg("refusal").none())
      .def("weighs_values", [](const WriterHandle& self) { return self.file->opened.weighs_values(); })
      .def("pads_texts", [](const WriterHandle& self) { return self.file->opened.pads_texts(); })
      .def("appears_at_close", [](const WriterHandle& self) { return self.file->opened.appears_at_close(); })
      .def("overlaps", [](const WriterHandle& self) { return self.file->opened.overlaps(); })
      .def("wait", [](WriterHandle& self) { settle(self, [](Writer& writer) { writer.wait(); }); })
      .def("test", &test_in_flight)
      .def("close", [](WriterHandle& self) { settle(self, [](Writer& writer) { writer.close(); }); })
      .def(
          "abort",
          [](WriterHandle& self, const Text& reason) {
            settle(self, [&](Writer& writer) { writer.abort(reason.value); });
          },
          nb::arg("reason"))
      .def("remarks", [](const WriterHandle& self) { return decode_all(self.file->opened.remarks()); })
      .def("timing", [](const WriterHandle& self) { return to_tuple(self.file->opened.timing()); })
      .def("counters", [](const WriterHandle& self) {
        return to_tuple(self.file->opened.counters(), self.file->opened.comm().traffic());
      });
  module.def("attribute", &make_attribute, nb::arg("quantity"), nb::arg("shape"), nb::arg("elements"));
  module.def("create", &create_file, nb::arg("path"), nb::arg("comm"), nb::arg("format"), nb::arg("transport"),
             nb::arg("durable"), nb::arg("lossy"), nb::arg("deadline").none(), nb::arg("options"));
  module.def("append", &append_file, nb::arg("path"), nb::arg("comm"), nb::arg("after").none(), nb::arg("drop"),
             nb::arg("format"), nb::arg("transport"), nb::arg("durable"), nb::arg("lossy"), nb::arg("deadline").none(),
             nb::arg("options"));
}

}  // namespace quire::python
