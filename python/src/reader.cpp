#include "quire/api/reader.hpp"

#include <algorithm>
#include <memory>

#include "bindings.hpp"
#include "buffer.hpp"
#include "handles.hpp"
#include "options.hpp"
#include "quire/api/writer.hpp"
#include "quire/spi/base/load.hpp"
#include "selection.hpp"
#include "text.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

/// Pairs of a type and an array.
using Targets = ListOf<TupleOf<nb::str, AnyArray>>;

/// The columns (components) of one request, with their memory held.
class Request {
 public:
  Request(const Targets& arrays, std::uint64_t values) {
    for (const nb::handle item : arrays) {
      const auto type = type_named(nb::cast<Text>(item[0]).value);
      Buffer& buffer = buffers_.emplace_back(item[1], Buffer::Use::fill);
      if (buffer.count() != values) throw Error(ErrorKind::internal, "an array of another length reached the core");
      types_.push_back(type);
      strings_.emplace_back();
    }
  }

  [[nodiscard]] std::vector<View> views() {
    std::vector<View> views;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (types_[i] == Type::string) {
        views.emplace_back(strings_[i], buffers_[i].count());
      } else {
        views.push_back(buffers_[i].target(types_[i]));
      }
    }
    return views;
  }

  /// Puts the strings that were read into the arrays of objects; needs the interpreter lock.
  void deliver_strings() const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (types_[i] == Type::string) deliver(buffers_[i], strings_[i]);
    }
  }

 private:
  static void deliver(const Buffer& buffer, const PackedStrings& strings) {
    if (!buffer.holds_objects()) throw Error(ErrorKind::internal, "strings need an array of objects");
    for (std::uint64_t i = 0; i < buffer.count(); ++i) {
      auto* slot = reinterpret_cast<PyObject**>(buffer.data() + static_cast<std::ptrdiff_t>(i) * buffer.stride());
      PyObject* old = *slot;
      *slot = decode(strings[i]).release().ptr();
      Py_XDECREF(old);
    }
  }

  std::vector<Buffer> buffers_;
  std::vector<Type> types_;
  std::vector<PackedStrings> strings_;
};

Slice to_slice(std::uint64_t first, std::uint64_t count) { return {first, count}; }

/// The columns of a request, without its rows.
std::vector<ReadColumn> columns_of(Request& request, const std::vector<Text>& names) {
  std::vector<ReadColumn> columns;
  const std::vector<View> views = request.views();
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back({names[i].value, views[i]});
  return columns;
}

/// Which ranks execute a read: this one, or all of them together.
enum class Ranks : std::uint8_t { one, all };

template <Ranks ranks, class Rows>
void read_rows(const ReadStepHandle& self, const Text& table, const Rows& rows, std::uint64_t count,
               const std::vector<Text>& names, const Targets& arrays) {
  Request request(arrays, count);
  std::vector<ReadColumn> columns = columns_of(request, names);
  self.file->run([&](Reader&) {
    if constexpr (ranks == Ranks::all) {
      self.step.read_all(table.value, rows, std::move(columns));
    } else {
      self.step.read(table.value, rows, std::move(columns));
    }
  });
  request.deliver_strings();
}

template <Ranks ranks>
void read_table(const ReadStepHandle& self, const Text& table, std::uint64_t first, std::uint64_t count,
                const std::vector<Text>& names, const Targets& arrays) {
  read_rows<ranks>(self, table, to_slice(first, count), count, names, arrays);
}

template <Ranks ranks>
void read_selected(const ReadStepHandle& self, const Text& table, Unchecked<Slabs> slabs,
                   const std::vector<Text>& names, const Targets& arrays) {
  const RowSelection rows = selection_from(slabs);
  read_rows<ranks>(self, table, rows, rows.count(), names, arrays);
}

/// Numbers of rows.
using RowNumbers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <Ranks ranks>
void read_listed(const ReadStepHandle& self, const Text& table, const RowNumbers& numbers,
                 const std::vector<Text>& names, const Targets& arrays) {
  const RowSelection rows = std::vector<std::uint64_t>(numbers.data(), numbers.data() + numbers.size());
  read_rows<ranks>(self, table, rows, rows.count(), names, arrays);
}

/// Packed strings of a column: their offsets (with the end of the last one) and their bytes.
using PackedTuple = TupleOf<Array<std::uint64_t>, Array<std::uint8_t>>;

ListOf<PackedTuple> read_packed(const ReadStepHandle& self, const Text& table, std::uint64_t first, std::uint64_t count,
                                const std::vector<Text>& names) {
  std::vector<std::unique_ptr<PackedStrings>> packed;
  std::vector<ReadColumn> columns;
  for (const Text& column : names) {
    packed.push_back(std::make_unique<PackedStrings>());
    columns.push_back({column.value, View(*packed.back(), count)});
  }
  self.file->run([&](Reader&) { self.step.read(table.value, to_slice(first, count), columns); });
  nb::list result;
  for (auto& strings : packed) {
    auto* data = strings.get();
    const nb::capsule owner(strings.release(), [](void* held) noexcept { delete static_cast<PackedStrings*>(held); });
    result.append(
        nb::make_tuple(nb::ndarray<nb::numpy, std::uint64_t>(data->offsets.data(), {data->offsets.size()}, owner),
                       nb::ndarray<nb::numpy, std::uint8_t>(reinterpret_cast<std::uint8_t*>(data->bytes.data()),
                                                            {data->bytes.size()}, owner)));
  }
  return result;
}

template <Ranks ranks>
void read_field(const ReadStepHandle& self, const Text& field, Unchecked<Slabs> slabs, const Targets& arrays,
                Unchecked<Places> memory) {
  const Selection selection = selection_from(slabs);
  const MemorySelection places = memory_from(memory);
  Request request(arrays, places.is_packed() ? selection.elements() : volume(places.extents));
  std::vector<View> views = request.views();
  self.file->run([&](Reader&) {
    if constexpr (ranks == Ranks::all) {
      self.step.read_field_all(field.value, selection, std::move(views), places);
    } else {
      self.step.read_field(field.value, selection, std::move(views), places);
    }
  });
  request.deliver_strings();
}

Unchecked<Never> refuse_read(const ReadStepHandle& self, const Error& refusal) {
  return self.file->run([&](Reader&) -> Unchecked<Never> { self.step.refuse_read(refusal); });
}

ExtentList plan_table(const ReadStepHandle& self, const Text& table, std::uint64_t first, std::uint64_t count,
                      const std::vector<Text>& names) {
  std::vector<std::string> columns;
  for (const Text& column : names) columns.push_back(column.value);
  const auto extents =
      self.file->run([&](Reader&) { return self.step.plan(table.value, to_slice(first, count), columns); });
  nb::list list;
  for (const Extent& extent : extents) list.append(nb::make_tuple(extent.offset, extent.length));
  return list;
}

/// Expansion, table, variables, ids, modes and offsets of the elements, and the values of each variable.
using ElementTuple = TupleOf<Expansion, nb::str, Texts, Array<std::uint32_t>, Array<std::uint64_t>,
                             Array<std::uint64_t>, ListOf<Array<double>>>;

ElementTuple tuple_of(ElementBlock& block) {
  nb::list values;
  for (auto& variable : block.values) values.append(array_of<double>(std::move(variable)));
  return nb::make_tuple(nb::cast(std::move(block.expansion)), decode(block.table), decode_all(block.variables),
                        array_of<std::uint32_t>(std::move(block.ids)), array_of<std::uint64_t>(std::move(block.modes)),
                        array_of<std::uint64_t>(std::move(block.offsets)), values);
}

/// Blocks of elements, missing ids, repeated ids.
TupleOf<ListOf<ElementTuple>, Array<std::uint32_t>, Array<std::uint32_t>> read_elements_all(
    const ReadStepHandle& self, Unchecked<AnyArray> ids, bool everything, std::vector<double> weights,
    const std::vector<Text>& variables, const std::optional<Error>& refusal) {
  ElementRequest request;
  if (!ids.is_none()) {
    const auto array = nb::cast<nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(ids);
    request.ids.emplace(array.data(), array.data() + array.size());
  }
  if (everything) request.partition = ElementPartition::everything;
  request.weights = std::move(weights);
  for (const Text& variable : variables) request.variables.push_back(variable.value);
  Elements elements = self.file->run([&](Reader&) { return self.step.read_elements_all(request, refusal); });
  nb::list blocks;
  for (ElementBlock& block : elements.blocks) blocks.append(tuple_of(block));
  return nb::make_tuple(blocks, array_of<std::uint32_t>(std::move(elements.missing)),
                        array_of<std::uint32_t>(std::move(elements.repeated)));
}

/// The location of values: path, type, whether they are contiguous, offset, byte order, number, shape of chunks,
/// file of a set.
using LocationTuple =
    TupleOf<nb::str, nb::str, bool, std::uint64_t, nb::str, std::uint64_t, Tuple<std::uint64_t>, nb::str>;

LocationTuple place_of(const Location& location) {
  return nb::make_tuple(decode(location.path), decode(quire::name(location.type)), location.contiguous, location.offset,
                        location.order == ByteOrder::little ? "little" : "big", location.values,
                        to_tuple(location.chunk), decode(location.member));
}

nb::bytes read_attachment(const ReaderHandle& self, const Text& name, std::uint64_t offset, std::uint64_t count) {
  std::vector<std::byte> content(static_cast<std::size_t>(count));
  self.file->run([&](Reader& reader) { reader.read_attachment(name.value, offset, content); });
  return nb::bytes(reinterpret_cast<const char*>(content.data()), content.size());
}

/// A single value as Python has it, for steps whose attributes are all of that kind.
nb::object scalar_of(const Value& value) {
  if (value.type() == Type::string) return decode(value.strings().front());
  if (value.type() == Type::character) {
    return decode({reinterpret_cast<const char*>(value.bytes().data()), 1});
  }
  if (value.type() == Type::uint64) return nb::int_(load_at<std::uint64_t>(value.bytes().data()));
  return is_integer(value.type()) ? nb::object(nb::int_(value.as_integer()))
                                  : nb::object(nb::float_(value.as_double()));
}

bool is_simple(const Attribute& attribute) {
  return attribute.value.is_scalar() && attribute.value.type() != Type::float80;
}

/// Numbers and rows of the steps; the values of each attribute, of each column.
using GatheredTuple = TupleOf<ListOf<std::int64_t>, ListOf<std::uint64_t>, ListOf<ListOf<nb::any>>, ListOf<nb::any>>;

/// Steps of one simple structure, with the concatenated values of their tables.
class GatheredSteps {
 public:
  explicit GatheredSteps(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Adds a step with its values; false: it has another structure, or is better read alone.
  bool add(const ReadStep& step) {
    const StepDescription& description = step.description();
    if (bytes_of(description) > most_bytes_ / 4) return false;
    if (numbers_.empty() ? !begin(description) : !continues(description)) return false;
    if (!columns_.empty()) {
      const Table& table = description.tables.front();
      std::vector<ReadColumn> targets;
      for (std::size_t c = 0; c < columns_.size(); ++c) targets.push_back({table.columns[c].name, grow(c, table.rows)});
      if (table.rows != 0) step.read(table.name, {0, table.rows}, targets);
    }
    bytes_ += bytes_of(description);
    numbers_.push_back(description.number);
    rows_.push_back(description.tables.empty() ? 0 : description.tables.front().rows);
    for (const Attribute& attribute : description.attributes) attributes_.push_back(attribute.value);
    return true;
  }
  [[nodiscard]] bool is_full() const noexcept { return bytes_ >= most_bytes_; }

  [[nodiscard]] GatheredTuple take() {
    std::vector<nb::list> attributes(first_.attributes.size());
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      attributes[i % attributes.size()].append(scalar_of(attributes_[i]));
    nb::list values;
    for (std::unique_ptr<Gathered>& column : columns_) {
      if (column->type == Type::string) {
        nb::list texts;
        for (std::size_t i = 0; i < column->strings.size(); ++i) texts.append(decode(column->strings[i]));
        values.append(texts);
      } else {
        Gathered* held = column.release();
        const nb::capsule owner(held, [](void* one) noexcept { delete static_cast<Gathered*>(one); });
        auto* data = reinterpret_cast<std::uint8_t*>(held->numbers.data());
        values.append(nb::ndarray<nb::numpy, std::uint8_t>(data, {held->numbers.size()}, owner));
      }
    }
    return nb::make_tuple(nb::cast(numbers_), nb::cast(rows_), nb::cast(attributes), values);
  }

 private:
  struct Gathered {
    Type type = Type::float64;
    std::vector<std::byte> numbers;
    PackedStrings strings;
  };

  [[nodiscard]] static std::uint64_t bytes_of(const StepDescription& step) {
    std::uint64_t bytes = sizeof(StepDescription);
    for (const Table& table : step.tables) {
      for (const Column& column : table.columns) {
        bytes += table.rows * std::max(size_of(column.type), sizeof(std::string));
      }
    }
    return bytes;
  }

  bool begin(const StepDescription& step) {
    if (!step.fields.empty() || step.tables.size() > 1 || !std::ranges::all_of(step.attributes, is_simple))
      return false;
    first_ = step;
    if (step.tables.empty()) return true;
    for (const Column& column : step.tables.front().columns) {
      columns_.push_back(std::make_unique<Gathered>());
      columns_.back()->type = column.type;
    }
    return true;
  }

  [[nodiscard]] bool continues(const StepDescription& step) const {
    const auto is_same = [](const Quantity& a, const Quantity& b) { return a.name == b.name && a.type == b.type; };
    if (!step.fields.empty() || step.tables.size() != first_.tables.size()) return false;
    if (!std::ranges::equal(step.attributes, first_.attributes, is_same)) return false;
    if (!std::ranges::all_of(step.attributes, is_simple)) return false;
    return step.tables.empty() ||
           std::ranges::equal(step.tables.front().columns, first_.tables.front().columns, is_same);
  }

  View grow(std::size_t index, std::uint64_t rows) {
    Gathered& column = *columns_[index];
    const std::size_t size = size_of(column.type);
    if (column.type == Type::string) return {column.strings, rows};
    const std::size_t before = column.numbers.size();
    column.numbers.resize(before + static_cast<std::size_t>(rows) * size);
    return {column.type, column.numbers.data() + before, rows, static_cast<std::ptrdiff_t>(size)};
  }

  std::uint64_t most_bytes_;
  StepDescription first_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::uint64_t> rows_;
  std::vector<Value> attributes_;  ///< of all steps, those of a step together
  std::vector<std::unique_ptr<Gathered>> columns_;
  std::uint64_t bytes_ = 0;
};

/// Steps from place `first` on, until they take about `most_bytes` or one has another structure.
GatheredTuple gather_steps(const ReaderHandle& self, std::uint64_t first, std::uint64_t most_bytes) {
  GatheredSteps gathered(most_bytes);
  self.file->run([&](Reader& reader) {
    for (std::uint64_t place = first; !gathered.is_full(); ++place) {
      auto step = reader.try_at(place);
      if (!step || !gathered.add(*step)) return;
    }
  });
  return gathered.take();
}

std::optional<ReadStepHandle> maybe_step(const ReaderHandle& self, std::optional<ReadStep> step) {
  if (!step) return std::nullopt;
  return ReadStepHandle{self.file, std::move(*step)};
}

/// Whole steps, their numbers, damage of the file, damage by step, then the facts of a report.
using CheckTuple = TupleOf<std::uint64_t, ListOf<std::int64_t>, std::optional<AnyError>,
                           Typed<nb::dict, std::int64_t, AnyError>, bool, bool, Texts, bool, bool>;

CheckTuple check_file(const ReaderHandle& self) {
  const CheckReport report = self.file->run([](Reader& reader) { return reader.check(); });
  nb::object damage = nb::none();
  if (report.damage) damage = to_python(*report.damage);
  nb::dict damaged;
  for (const DamagedStep& step : report.damaged) damaged[nb::cast(step.number)] = to_python(step.damage);
  return nb::make_tuple(report.whole_steps, nb::cast(report.numbers), damage, damaged, report.salvageable,
                        report.is_changed, decode_all(report.warnings), report.is_undecoded, report.is_being_written);
}

ReaderHandle open_file(const Text& path, const Comm& comm, const Text& format, const Text& transport, bool lossy,
                       bool tolerant, std::optional<std::int64_t> deadline, std::uint64_t memory_budget,
                       const OptionDict& options) {
  ReadOptions read;
  read.format = format.value;
  read.transport = transport.value;
  read.lossy = lossy;
  read.tolerant = tolerant;
  read.deadline = deadline_from(deadline);
  read.memory_budget = memory_budget;
  read.options = options_from(options);
  const nb::gil_scoped_release release;
  return {std::make_shared<OpenReader>(open(path.value, comm, read))};
}

Unchecked<Never> refuse_file(const Text& path, const Comm& comm, const Text& format, const Text& transport,
                             std::optional<std::int64_t> deadline, const Error& refusal) {
  ReadOptions read;
  read.deadline = deadline_from(deadline);
  read.format = format.value;
  read.transport = transport.value;
  const nb::gil_scoped_release release;
  refuse_to_open(path.value, comm, read, refusal);
}

bool repair_file(const Text& path, const Comm& comm, const Text& format, const Text& transport,
                 std::optional<std::int64_t> deadline, std::uint64_t memory_budget, const OptionDict& options,
                 const std::vector<std::int64_t>& dropped) {
  ReadOptions read;
  read.deadline = deadline_from(deadline);
  read.format = format.value;
  read.transport = transport.value;
  read.memory_budget = memory_budget;
  read.options = options_from(options);
  const nb::gil_scoped_release release;
  return repair(path.value, comm, read, dropped);
}

bool finish_replacement_of(const Text& path, const Comm& comm) {
  const nb::gil_scoped_release release;
  return finish_replacement(path.value, comm);
}

FileLock lock_of(const Text& path, const Comm& comm) {
  const nb::gil_scoped_release release;
  return lock_file(path.value, comm);
}

template <Ranks ranks>
void bind_reads(nb::class_<ReadStepHandle>& step) {
  const auto named = [](const char* name) { return ranks == Ranks::all ? std::string(name) + "_all" : name; };
  step.def(named("read").c_str(), &read_table<ranks>, nb::arg("table"), nb::arg("first"), nb::arg("count"),
           nb::arg("names"), nb::arg("arrays"))
      .def(named("read_selected").c_str(), &read_selected<ranks>, nb::arg("table"), nb::arg("rows"), nb::arg("names"),
           nb::arg("arrays"))
      .def(named("read_listed").c_str(), &read_listed<ranks>, nb::arg("table"), nb::arg("rows"), nb::arg("names"),
           nb::arg("arrays"))
      .def(named("read_field").c_str(), &read_field<ranks>, nb::arg("field"), nb::arg("selection"), nb::arg("arrays"),
           nb::arg("memory"));
}

void bind_step_reader(nb::module_& module) {
  nb::class_<ReadStepHandle> step(module, "ReadStep");
  bind_reads<Ranks::one>(step);
  bind_reads<Ranks::all>(step);
  step.def_prop_ro(
          "description", [](const ReadStepHandle& self) -> const StepDescription& { return self.step.description(); },
          nb::rv_policy::reference_internal)
      .def("read_packed", &read_packed, nb::arg("table"), nb::arg("first"), nb::arg("count"), nb::arg("names"))
      .def("read_elements_all", &read_elements_all, nb::arg("ids").none(), nb::arg("everything"), nb::arg("weights"),
           nb::arg("variables"), nb::arg("refusal").none())
      .def("refuse_read", &refuse_read, nb::arg("refusal"))
      .def("plan", &plan_table, nb::arg("table"), nb::arg("first"), nb::arg("count"), nb::arg("names"))
      .def(
          "locate",
          [](const ReadStepHandle& self, const Text& table, const Text& column) {
            return place_of(self.step.locate(table.value, column.value));
          },
          nb::arg("table"), nb::arg("column"))
      .def(
          "locate_field",
          [](const ReadStepHandle& self, const Text& field, std::uint64_t component) {
            return place_of(self.step.locate_field(field.value, component));
          },
          nb::arg("field"), nb::arg("component"));
}

}  // namespace

void bind_reader(nb::module_& module) {
  bind_step_reader(module);
  nb::class_<ReaderHandle>(module, "Reader")
      .def_prop_ro(
          "description",
          [](const ReaderHandle& self) -> const FileDescription& { return self.file->opened.description(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro("finds_steps_alone", [](const ReaderHandle& self) { return self.file->opened.finds_steps_alone(); })
      .def("synchronize", [](const ReaderHandle& self) { self.file->run([](Reader& r) { r.synchronize(); }); })
      .def("size", [](const ReaderHandle& self) { return self.file->run([](Reader& r) { return r.size(); }); })
      .def("numbers", [](const ReaderHandle& self) { return self.file->run([](Reader& r) { return r.numbers(); }); })
      .def(
          "some_numbers",
          [](const ReaderHandle& self, std::uint64_t first, std::uint64_t count) {
            return self.file->run([&](Reader& r) { return r.numbers(first, count); });
          },
          nb::arg("first"), nb::arg("count"))
      .def(
          "try_at",
          [](const ReaderHandle& self, std::uint64_t index) {
            return maybe_step(self, self.file->run([&](Reader& r) { return r.try_at(index); }));
          },
          nb::arg("index"))
      .def("gather", &gather_steps, nb::arg("first"), nb::arg("most_bytes"))
      .def(
          "step",
          [](const ReaderHandle& self, std::int64_t number) {
            return ReadStepHandle{self.file, self.file->run([&](Reader& r) { return r.step(number); })};
          },
          nb::arg("number"))
      .def(
          "salvage",
          [](const ReaderHandle& self, std::uint64_t index) {
            return maybe_step(self, self.file->run([&](Reader& r) { return r.salvage(index); }));
          },
          nb::arg("index"))
      .def("declared",
           [](const ReaderHandle& self) {
             return maybe_step(self, self.file->run([](Reader& reader) { return reader.declared(); }));
           })
      .def("read_attachment", &read_attachment, nb::arg("name"), nb::arg("offset"), nb::arg("count"))
      .def("check", &check_file)
      .def("close", [](const ReaderHandle& self) { self.file->run([](Reader& r) { r.close(); }); })
      .def("timing", [](const ReaderHandle& self) { return to_tuple(self.file->opened.timing()); })
      .def("counters", [](const ReaderHandle& self) {
        return to_tuple(self.file->opened.counters(), self.file->opened.comm().traffic());
      });
  module.def("open", &open_file, nb::arg("path"), nb::arg("comm"), nb::arg("format"), nb::arg("transport"),
             nb::arg("lossy"), nb::arg("tolerant"), nb::arg("deadline").none(), nb::arg("memory_budget"),
             nb::arg("options"));
  module.def("refuse_to_open", &refuse_file, nb::arg("path"), nb::arg("comm"), nb::arg("format"), nb::arg("transport"),
             nb::arg("deadline").none(), nb::arg("refusal"));
  module.def("repair", &repair_file, nb::arg("path"), nb::arg("comm"), nb::arg("format"), nb::arg("transport"),
             nb::arg("deadline").none(), nb::arg("memory_budget"), nb::arg("options"), nb::arg("dropped"));
  module.def("finish_replacement", &finish_replacement_of, nb::arg("path"), nb::arg("comm"));
  nb::class_<FileLock>(module, "FileLock").def("release", &FileLock::release);
  module.def("lock_file", &lock_of, nb::arg("path"), nb::arg("comm"));
}

}  // namespace quire::python
