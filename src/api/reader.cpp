#include "quire/api/reader.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "api/compressed.hpp"
#include "api/publication.hpp"
#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "base/stopwatch.hpp"
#include "quire/base/archive.hpp"
#include "quire/format/format.hpp"

namespace quire {

/// Everything of a file that is being read.
struct Reader::State {
  std::string path;
  Comm comm;
  ReadOptions options{};
  const Format* format = nullptr;
  std::unique_ptr<Transport> transport{};
  std::optional<InflationSurvey> inflation{};  ///< if the file is compressed
  std::unique_ptr<Describer> describer{};      ///< on rank 0; on others only once they read an opaque object
  FileDescription file{};
  Timing timing{};
  bool closed = false;

  /// Independent. Another file that this one refers to by name: beside it, else in the current directory.
  [[nodiscard]] std::shared_ptr<ByteSource> neighbour(const std::string& name) const;
  /// Independent. This rank's own describer, made when first needed.
  [[nodiscard]] Describer& own_describer();
  /// Collective. Step `index` as rank 0 describes it by `describe`.
  [[nodiscard]] std::shared_ptr<ReadStep::State> layout(
      const std::function<std::optional<StepLayout>(Describer&)>& describe);
  [[nodiscard]] Error placed(Error error) const {
    if (error.file().empty()) error.in_file(path);
    return error;
  }
};

/// One described step; keeps the file open.
struct ReadStep::State {
  std::shared_ptr<Reader::State> reader;
  std::uint64_t index = 0;
  StepLayout layout;
};

namespace {

/// A file of its own, for includes and external links.
class NeighbourSource final : public ByteSource {
 public:
  explicit NeighbourSource(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  [[nodiscard]] std::uint64_t size() override { return transport_->size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    return transport_->get(offset, out);
  }

 private:
  std::unique_ptr<Transport> transport_;
};

struct OptionalLayout {
  bool present = false;
  StepLayout layout;
  template <class Archive>
  void archive(Archive& a) {
    a(present, layout);
  }
};

struct Opening {
  std::string format;
  FileDescription file;
  std::optional<InflationSurvey> inflation;
  template <class Archive>
  void archive(Archive& a) {
    a(format, file, inflation);
  }
};

struct PackedReport {
  std::vector<std::int64_t> numbers;
  bool damaged = false;
  std::vector<std::byte> damage;
  bool salvageable = false;
  std::vector<std::string> warnings;
  template <class Archive>
  void archive(Archive& a) {
    a(numbers, damaged, damage, salvageable, warnings);
  }
};

/// Runs an independent action of a reader; what it throws names the file and this rank.
template <class Action>
auto in_file(const Reader::State& state, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    Error copy = state.placed(error);
    if (state.comm.size() > 1 && !copy.rank()) copy.from_rank(state.comm.rank());
    throw copy;
  }
}

void require_open(const Reader::State& state) {
  if (state.closed) throw state.placed(Error(ErrorKind::usage, "the file is closed"));
}

/// True if the format itself must read this column: it lies in an opaque run.
bool is_opaque(const Place& place, std::uint64_t column) {
  return std::ranges::any_of(place.runs, [&](const Run& run) {
    return run.opaque && std::ranges::any_of(run.cells, [&](const Cell& cell) { return cell.column == column; });
  });
}

/// Where the values of a column, or of a component of a field, stand.
Location location_of(const Place& place, std::uint64_t column, std::uint64_t values) {
  Location location;
  location.values = values;
  std::size_t runs = 0;
  for (const Run& run : place.runs) {
    const auto cell = std::ranges::find(run.cells, column, &Cell::column);
    if (cell == run.cells.end()) continue;
    ++runs;
    location.path = run.path;
    location.type = cell->type;
    location.order = run.order;
    location.offset = run.offset;
    const bool is_plain =
        !run.opaque && !run.text && !run.chunks && run.cells.size() == 1 && cell->type != Type::string;
    location.contiguous = is_plain && runs == 1 && run.record_bytes == size_of(cell->type) && run.records == values;
  }
  return location;
}

/// Plans what this rank reads and runs it. A rank that cannot plan still takes part in a collective transfer, with
/// nothing, so that the others do not wait for it.
void run_planned(Reader::State& reader, const std::function<void(ReadPlan&)>& prepare) {
  ReadPlan plan;
  try {
    const Stopwatch watch(reader.timing.plan);
    prepare(plan);
    coalesce(plan);
  } catch (const Error&) {
    if (reader.transport->is_collective()) reader.transport->run(ReadPlan{});
    throw;
  }
  reader.transport->run(plan);
}

/// The columns asked for, checked against the table and the rows.
std::vector<ColumnTarget> targets_of(const Table& table, const Slice& rows, const std::vector<ReadColumn>& columns) {
  if (rows.first > table.rows || rows.count > table.rows - rows.first) {
    throw Error(ErrorKind::usage, "rows " + std::to_string(rows.first) + " to " + std::to_string(rows.end()) +
                                      " are not inside the table's " + std::to_string(table.rows))
        .on(table.name);
  }
  std::vector<ColumnTarget> targets;
  for (const ReadColumn& column : columns) {
    if (column.out.count != rows.count) {
      throw Error(ErrorKind::usage, "the memory holds another number of values than asked for").on(column.name);
    }
    targets.push_back({table.find(column.name), column.out, column.name});
  }
  return targets;
}

const Attachment& attachment_of(const FileDescription& file, const std::string& name) {
  std::vector<std::string> names;
  for (const Attachment& attachment : file.attachments) {
    if (attachment.name == name) return attachment;
    names.push_back(attachment.name);
  }
  throw Error(ErrorKind::missing, "there is no attachment \"" + name + "\"" + nearest_names(name, names));
}

std::string nearest_numbers(std::vector<std::int64_t> numbers, std::int64_t wanted) {
  constexpr std::size_t shown = 3;
  const auto distance = [&](std::int64_t number) {
    const auto big = static_cast<std::uint64_t>(std::max(number, wanted));
    return big - static_cast<std::uint64_t>(std::min(number, wanted));
  };
  std::ranges::stable_sort(numbers, {}, distance);
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, numbers.size()); ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return list.empty() ? "the file has no steps" : "the nearest are " + list;
}

/// Rank 0: what the file is, once it is known whether its bytes are compressed.
Opening describe_file(Reader::State& state, const Options& inflation) {
  std::vector<std::byte> head(std::size_t{1} << 16);
  head.resize(state.transport->get(0, head));
  state.inflation =
      inflate_if_compressed(state.transport, state.path, head, survey_options(inflation, state.options.memory_budget));
  const auto describe = [&] {
    const std::string& name = state.options.format;
    state.format =
        name.empty() ? &recognise(head, std::make_shared<TransportSource>(*state.transport)) : &format_named(name);
    return Opening{std::string(state.format->name()), state.own_describer().file(), state.inflation};
  };
  if (!state.inflation) return describe();
  refuse_tolerances(*state.inflation, state.options.options);
  Opening opening = with_damage_told(*state.inflation, describe);
  describe_compression(opening.file, *state.inflation);
  return opening;
}

PackedReport examine(Describer& describer) {
  PackedReport report;
  report.warnings = describer.file().warnings;
  for (std::uint64_t index = 0;; ++index) {
    try {
      const auto layout = describer.verified(index);
      if (!layout) return report;
      report.numbers.push_back(layout->description.number);
      for (const std::string& warning : layout->description.warnings) {
        report.warnings.push_back("step " + std::to_string(layout->description.number) + ": " + warning);
      }
    } catch (const Error& error) {
      report.damaged = true;
      report.damage = error.pack();
      report.salvageable = describer.salvage(index).has_value();
      return report;
    }
  }
}

}  // namespace

std::shared_ptr<ByteSource> Reader::State::neighbour(const std::string& name) const {
  const std::filesystem::path beside = std::filesystem::path(path).parent_path() / name;
  for (const std::filesystem::path& candidate : {beside, std::filesystem::path(name)}) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(candidate, ignored)) continue;
    return std::make_shared<NeighbourSource>(
        open_transport("posix", candidate.string(), Access::read, Comm::self(), {}));
  }
  return nullptr;
}

Describer& Reader::State::own_describer() {
  if (!describer) {
    const DescribeContext context{.path = path,
                                  .memory_budget = options.memory_budget,
                                  .neighbour = [this](const std::string& name) { return neighbour(name); }};
    describer = format->describe(std::make_shared<TransportSource>(*transport), context,
                                 CheckedOptions(format->read_options(), options.options));
    if (inflation && inflation->damage) describer = describer_before_damage(std::move(describer), *inflation);
  }
  return *describer;
}

std::shared_ptr<ReadStep::State> Reader::State::layout(
    const std::function<std::optional<StepLayout>(Describer&)>& describe) {
  require_open(*this);
  return in_file(*this, [&]() -> std::shared_ptr<ReadStep::State> {
    const Stopwatch watch(timing.metadata);
    OptionalLayout answer;
    const auto look = [&] {
      auto found = describe(own_describer());
      answer = {found.has_value(), found ? std::move(*found) : StepLayout{}};
    };
    if (comm.size() == 1) {
      // A single process needs no message, whose making takes longer than the look itself.
      if (const auto error = caught(comm.rank(), look)) throw Error(*error);
    } else {
      answer = unpack<OptionalLayout>(from_root(comm, [&] {
        look();
        return pack(answer);
      }));
    }
    if (!answer.present) return nullptr;
    auto step = std::make_shared<ReadStep::State>();
    step->layout = std::move(answer.layout);
    return step;
  });
}

ReadStep::ReadStep(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t ReadStep::number() const { return state_->layout.description.number; }

const StepDescription& ReadStep::description() const { return state_->layout.description; }

bool ReadStep::has_attribute(const std::string& name) const {
  return std::ranges::any_of(description().attributes, [&](const Attribute& a) { return a.name == name; });
}

const Attribute& ReadStep::attribute(const std::string& name) const {
  std::vector<std::string> names;
  for (const Attribute& attribute : description().attributes) {
    if (attribute.name == name) return attribute;
    names.push_back(attribute.name);
  }
  throw state_->reader->placed(Error(ErrorKind::missing, "step " + std::to_string(number()) + " has no attribute \"" +
                                                             name + "\"" + nearest_names(name, names)));
}

void ReadStep::read(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  in_file(reader, [&] {
    std::vector<ColumnTarget> targets;
    run_planned(reader, [&](ReadPlan& plan) {
      const std::size_t index = description().find_table(table);
      targets = targets_of(description().tables[index], rows, columns);
      add_rows(plan, state_->layout.tables[index], rows, targets, reader.options.lossy);
    });
    const std::size_t index = description().find_table(table);
    const std::string& name = description().tables[index].name;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!is_opaque(state_->layout.tables[index], targets[c].column)) continue;
      const std::string object = name.empty() ? columns[c].name : name + "/" + columns[c].name;
      reader.own_describer().read_opaque(state_->index, object, 0, rows, columns[c].out);
    }
  });
}

void ReadStep::read_field(const std::string& field, const Box& box, std::vector<View> components) const {
  Reader::State& reader = *state_->reader;
  require_open(reader);
  in_file(reader, [&] {
    run_planned(reader, [&](ReadPlan& plan) {
      const std::size_t index = description().find_field(field);
      const Field& source = description().fields[index];
      if (components.size() != source.components) {
        throw Error(ErrorKind::usage, "the field has " + std::to_string(source.components) + " components").on(field);
      }
      add_box(plan, state_->layout.fields[index], source.extents, box, components, reader.options.lossy, field);
    });
    const std::size_t index = description().find_field(field);
    const Field& source = description().fields[index];
    const Place& place = state_->layout.fields[index];
    for (std::uint64_t c = 0; c < components.size(); ++c) {
      if (!is_opaque(place, c)) continue;
      if (box != whole(source.extents)) {
        throw Error(ErrorKind::unsupported, "only the whole of this field can be read").on(field);
      }
      reader.own_describer().read_opaque(state_->index, field, c, {0, volume(source.extents)}, components[c]);
    }
  });
}

std::vector<Extent> ReadStep::plan(const std::string& table, const Slice& rows,
                                   const std::vector<std::string>& columns) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = description().find_table(table);
    const Table& source = description().tables[index];
    std::vector<ColumnTarget> targets;
    std::vector<PackedStrings> strings(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t column = source.find(columns[c]);
      const Type type = source.columns[column].type;
      const auto stride = static_cast<std::ptrdiff_t>(size_of(type));
      const View view = type == Type::string ? View(strings[c], rows.count) : View(type, nullptr, rows.count, stride);
      targets.push_back({column, view});
    }
    ReadPlan plan;
    add_rows(plan, state_->layout.tables[index], rows, targets, state_->reader->options.lossy);
    coalesce(plan);
    return extents_of(plan);
  });
}

Location ReadStep::locate(const std::string& table, const std::string& column) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = description().find_table(table);
    const Table& source = description().tables[index];
    return location_of(state_->layout.tables[index], source.find(column), source.rows);
  });
}

Location ReadStep::locate_field(const std::string& field, std::uint64_t component) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = description().find_field(field);
    const Field& source = description().fields[index];
    if (component >= source.components) {
      throw Error(ErrorKind::usage, "the field has " + std::to_string(source.components) + " components").on(field);
    }
    return location_of(state_->layout.fields[index], component, volume(source.extents));
  });
}

Reader::Reader(std::shared_ptr<State> state) : state_(std::move(state)) {}

const FileDescription& Reader::description() const { return state_->file; }

std::uint64_t Reader::size() const {
  require_open(*state_);
  return in_file(*state_, [&] {
    return unpack<std::uint64_t>(from_root(state_->comm, [&] { return pack(state_->own_describer().steps()); }));
  });
}

std::vector<std::int64_t> Reader::numbers() const {
  require_open(*state_);
  return in_file(*state_, [&] {
    return unpack<std::vector<std::int64_t>>(from_root(state_->comm, [&] {
      Describer& describer = state_->own_describer();
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(describer.steps()));
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = describer.step_number(i);
      return pack(numbers);
    }));
  });
}

std::optional<ReadStep> Reader::try_at(std::uint64_t index) const {
  auto found = state_->layout([&](Describer& describer) { return describer.step(index); });
  if (!found) return std::nullopt;
  found->reader = state_;
  found->index = index;
  return ReadStep(std::move(found));
}

ReadStep Reader::at(std::uint64_t index) const {
  if (auto step = try_at(index)) return *std::move(step);
  throw state_->placed(Error(ErrorKind::missing, "there is no step at index " + std::to_string(index) +
                                                     ", the file has " + std::to_string(size())));
}

ReadStep Reader::step(std::int64_t number) const {
  const auto all = numbers();
  const auto found = std::ranges::find(all, number);
  if (found == all.end()) {
    throw state_->placed(
        Error(ErrorKind::missing, "there is no step " + std::to_string(number)).advise(nearest_numbers(all, number)));
  }
  return at(static_cast<std::uint64_t>(found - all.begin()));
}

std::optional<ReadStep> Reader::salvage(std::uint64_t index) const {
  auto found = state_->layout([&](Describer& describer) { return describer.salvage(index); });
  if (!found) return std::nullopt;
  found->reader = state_;
  found->index = index;
  return ReadStep(std::move(found));
}

void Reader::read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) const {
  require_open(*state_);
  in_file(*state_, [&] {
    const std::uint64_t bytes = attachment_of(state_->file, name).bytes;
    if (offset > bytes || out.size() > bytes - offset) {
      throw Error(ErrorKind::usage, "the part asked for lies beyond the end of the attachment").on(name);
    }
    state_->own_describer().read_attachment(name, offset, out);
  });
}

std::vector<std::byte> Reader::attachment(const std::string& name) const {
  const std::uint64_t bytes = in_file(*state_, [&] {
    const Attachment& found = attachment_of(state_->file, name);
    if (found.bytes > state_->options.memory_budget) {
      throw Error(ErrorKind::memory, "the attachment takes more than the memory budget")
          .on(name)
          .advise("read it in parts, or open the file with a larger budget");
    }
    return found.bytes;
  });
  std::vector<std::byte> content(static_cast<std::size_t>(bytes));
  read_attachment(name, 0, content);
  return content;
}

CheckReport Reader::check() const {
  require_open(*state_);
  const auto packed =
      unpack<PackedReport>(from_root(state_->comm, [&] { return pack(examine(state_->own_describer())); }));
  CheckReport report;
  report.whole_steps = packed.numbers.size();
  report.numbers = packed.numbers;
  if (packed.damaged) report.damage = state_->placed(Error::unpack(packed.damage));
  report.salvageable = packed.salvageable;
  report.warnings = packed.warnings;
  return report;
}

void Reader::close() {
  if (state_->closed) return;
  state_->closed = true;
  state_->describer.reset();
  state_->transport->close();
}

Timing Reader::timing() const {
  Timing timing = state_->timing;
  timing.encode = state_->transport->counters().encode_seconds;
  timing.transfer = state_->transport->counters().transfer_seconds;
  return timing;
}

TransportCounters Reader::counters() const { return state_->transport->counters(); }

Comm& Reader::comm() const { return state_->comm; }

Reader open(const std::string& path, Comm comm, const ReadOptions& options) {
  comm.set_deadline(options.deadline);
  auto state =
      std::make_shared<Reader::State>(Reader::State{.path = path, .comm = std::move(comm), .options = options});
  agree_on_choice(state->comm, {.path = path, .transport = options.transport, .format = options.format});
  state->transport = open_transport(options.transport, path, Access::read, state->comm, {});
  if (options.wrapper) state->transport = options.wrapper(std::move(state->transport), path, state->comm.rank());
  in_file(*state, [&] {
    const Options mine = take_inflation_options(state->options.options);
    const auto opening = unpack<Opening>(from_root(state->comm, [&] { return pack(describe_file(*state, mine)); }));
    state->format = &format_named(opening.format);
    state->file = opening.file;
    if (state->comm.is_root() || !opening.inflation) return;
    state->inflation = opening.inflation;
    inflate_as_surveyed(state->transport, path, *opening.inflation);
  });
  return Reader(std::move(state));
}

bool repair(const std::string& path, Comm comm, const ReadOptions& options) {
  comm.set_deadline(options.deadline);
  const auto transport = open_transport(options.transport, path, Access::update, comm, {});
  const auto acted = from_root(comm, [&] {
    std::vector<std::byte> head(std::size_t{1} << 16);
    head.resize(transport->get(0, head));
    refuse_compressed(head, path);
    const auto bytes = std::make_shared<TransportSource>(*transport);
    const Format& format = options.format.empty() ? recognise(head, bytes) : format_named(options.format);
    const auto describer =
        format.describe(bytes, {.path = path, .memory_budget = options.memory_budget, .neighbour = {}},
                        CheckedOptions(format.read_options(), options.options));
    const Publication acts = describer->repair();
    carry_out(acts, *transport, true);
    return pack(!acts.empty());
  });
  transport->close();
  return unpack<bool>(acted);
}

}  // namespace quire
