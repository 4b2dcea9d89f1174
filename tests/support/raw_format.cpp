#include "support/raw_format.hpp"

#include <algorithm>
#include <cstdlib>

#include "format/appending.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "support/json.hpp"

namespace quire::test {
namespace {

constexpr std::string_view magic = "RAWCOLS1";
constexpr std::uint64_t end_offset = magic.size();
constexpr std::uint64_t first_header = end_offset + sizeof(std::uint64_t);

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string number_of(std::uint64_t number) {
  std::string bytes(sizeof number, ' ');
  store(std::as_writable_bytes(std::span(bytes)).data(), number, ByteOrder::little);
  return bytes;
}

/// A header with its length. That of the file is a step with its attributes.
std::string header_of(const StepDescription& step) {
  const auto print = [](const Quantity& one, std::vector<std::string> texts) {
    texts.insert(texts.begin(),
                 {one.name, std::string(name(one.type)), one.unit, one.symbol, one.description, one.display});
    return array_of(texts, quoted);
  };
  const auto print_column = [&](const Column& one) { return print(one, {}); };
  const auto print_attribute = [&](const Attribute& one) { return print(one, {one.value.as_text()}); };
  const auto print_table = [&](const Table& one) {
    return "[" + quoted(one.name) + "," + std::to_string(one.rows) + "," + array_of(one.columns, print_column) + "]";
  };
  const std::string json = "[" + std::to_string(step.number) + "," + array_of(step.attributes, print_attribute) + "," +
                           array_of(step.tables, print_table) + "]";
  return number_of(json.size()) + json;
}

Quantity quantity_of(const std::vector<Json>& texts) {
  const auto text = [&](std::size_t index) { return texts.at(index).text(); };
  return {text(0), type_named(text(1)), text(2), text(3), text(4), text(5)};
}

Value value_of(Type type, const Json& value) {
  if (type == Type::string) return value.text();
  if (type == Type::uint64) return Value(std::uint64_t{std::stoull(value.text())});
  if (is_integer(type)) return Value(std::int64_t{value.integer()}).converted_to(type);
  return Value(std::strtod(value.text().c_str(), nullptr)).converted_to(type, true);
}

StepDescription parse_header(const std::vector<Json>& parts) {
  StepDescription step;
  step.number = parts.at(0).integer();
  for (const Json& one : parts.at(1).items()) {
    const Quantity quantity = quantity_of(one.items());
    step.attributes.push_back({quantity, value_of(quantity.type, one.items().at(6))});
  }
  for (const Json& one : parts.at(2).items()) {
    Table& table = step.tables.emplace_back();
    table.name = one.items().at(0).text();
    table.rows = static_cast<std::uint64_t>(one.items().at(1).integer());
    for (const Json& column : one.items().at(2).items()) table.columns.push_back({quantity_of(column.items())});
  }
  return step;
}

bool is_held(const Field& /*field*/) { return false; }
bool is_held(const Column& column) { return column.type != Type::string; }
bool is_held(const Attribute& attribute) {
  return attribute.value.is_scalar() && (attribute.type < Type::float80 || attribute.type == Type::string);
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& /*options*/) {
  return fit_without_expansions(step, [&](const StepDescription& plain) {
    Fit fit{.adapted = plain};
    const auto keep_held = [&fit](auto& all, const std::string& what) {
      std::erase_if(all, [&](const auto& one) {
        if (!is_held(one)) fit.lose(what, one.name, "left out: raw columns hold numbers in tables");
        return !is_held(one);
      });
    };
    if (!file.title.empty() || !file.contents.empty()) fit.lose({}, {}, "title and contents are left out");
    std::vector<Attribute> of_file = file.attributes;
    keep_held(of_file, "attribute of the file");
    keep_held(fit.adapted.attributes, "attribute");
    for (Table& table : fit.adapted.tables) keep_held(table.columns, "column");
    keep_held(fit.adapted.fields, "field");
    return fit;
  });
}

void require_held(const FileDescription& file, const StepDescription& step) {
  for (const Change& change : fit(file, step, {{}, {}}).changes) {
    if (!change.name.empty()) throw Error(ErrorKind::unsupported, change.what).on(change.name);
  }
}

Measure rows_of(const StepDescription& step) {
  Measure rows;
  for (const Table& table : step.tables) rows.push_back(table.rows);
  return rows;
}

/// The runs of the rows of a step, in columns of all rows that begin at `offset`, which is set to their end.
std::vector<std::vector<Run>> runs_of(const StepDescription& step, const Measure& before, const Measure& total,
                                      std::uint64_t& offset) {
  std::vector<std::vector<Run>> runs(step.tables.size());
  for (std::size_t t = 0; t < runs.size(); ++t) {
    for (const Column& column : step.tables[t].columns) {
      Run& run = runs[t].emplace_back();
      run.records = step.tables[t].rows;
      run.record_bytes = size_of(column.type);
      run.order = ByteOrder::little;
      run.offset = offset + before.at(t) * run.record_bytes;
      run.bytes = run.records * run.record_bytes;
      run.cells = {{runs[t].size() - 1, column.type}};
      offset = checked_add(offset, checked_multiply(total.at(t), run.record_bytes));
    }
  }
  return runs;
}

class RawDescriber final : public Describer {
 public:
  explicit RawDescriber(std::shared_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {
    end_ = number_at(end_offset);
    file_.format = raw_format().name;
    StepDescription header;
    if (end_ > next_) next_ = read_header(header);
    file_.attributes = std::move(header.attributes);
  }

  [[nodiscard]] const FileDescription& file() const override { return file_; }
  [[nodiscard]] std::uint64_t steps() override {
    try {
      while (step(steps_.size())) continue;
    } catch (const Error&) {  // the steps before the damage count
    }
    return steps_.size();
  }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override {
    return step(index).value().description.number;
  }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override {
    while (steps_.size() <= index && next_ < end_) {
      StepLayout found;
      found.offset = next_;
      found.end = read_header(found.description);
      const Measure rows = rows_of(found.description);
      for (auto& runs : runs_of(found.description, Measure(rows.size()), rows, found.end)) {
        found.tables.push_back({std::move(runs)});
      }
      if (found.end > std::min(end_, bytes_->size()))
        throw Error(ErrorKind::bad_file, "a step ends after the file").at(next_);
      next_ = found.end;
      steps_.push_back(std::move(found));
    }
    return index < steps_.size() ? std::optional(steps_[static_cast<std::size_t>(index)]) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

 private:
  [[nodiscard]] std::string text_at(std::uint64_t offset, std::uint64_t length) {
    if (length > bytes_->size()) throw Error(ErrorKind::bad_file, "a header is longer than the file").at(offset);
    std::string text(static_cast<std::size_t>(length), ' ');
    if (bytes_->read(offset, std::as_writable_bytes(std::span(text))) == length) return text;
    throw Error(ErrorKind::bad_file, "the file ends early").at(bytes_->size());
  }
  [[nodiscard]] std::uint64_t number_at(std::uint64_t offset) {
    const std::string bytes = text_at(offset, sizeof end_);
    return load<std::uint64_t>(std::as_bytes(std::span(bytes)).data(), ByteOrder::little);
  }
  /// Reads the header at the next offset and returns its end.
  [[nodiscard]] std::uint64_t read_header(StepDescription& step) {
    const std::string text = text_at(next_ + sizeof end_, number_at(next_));
    try {
      step = parse_header(Json::parse(text).items());
    } catch (const std::exception& error) {
      throw Error(ErrorKind::bad_file, std::string("a header is wrong: ") + error.what()).at(next_);
    }
    return next_ + sizeof end_ + text.size();
  }

  std::shared_ptr<ByteSource> bytes_;
  FileDescription file_;
  std::uint64_t end_ = 0;              ///< of the published bytes
  std::uint64_t next_ = first_header;  ///< the offset after the steps that were read
  std::vector<StepLayout> steps_;
};

class RawPlanner final : public WritePlanner, public RowPlacer {
 public:
  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override {
    RawDescriber describer(existing);
    end_ = describer.end();
    for (std::uint64_t i = 0; const auto step = describer.step(i); ++i) {
      if (after && last_ == after && !drop) throw Error(ErrorKind::conflict, "the file has later steps");
      if (after && last_ == after) end_ = std::min(end_, step->offset);
      if (!after || last_ != after) last_ = step->description.number;
    }
    if (after && last_ != after) throw no_step_to_append_after(*after, last_);
    if (end_ == existing->size()) return {};
    return {PublishWrite{end_offset, bytes_of(number_of(end_))}, PublishResize{end_}};
  }
  [[nodiscard]] std::vector<std::byte> state() const override {
    Packer packer;
    packer(end_, last_);
    return packer.take();
  }
  void adopt(std::span<const std::byte> state) override { Unpacker{state}(end_, last_); }
  void set_file(const FileDescription& file) override {
    require_held(file, {});
    file_.attributes = file.attributes;
  }
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool /*lossy*/) const override {
    if (last_ && step.number <= *last_) throw Error(ErrorKind::conflict, "the number does not follow the last one");
    require_held({}, step);
    return step;
  }
  [[nodiscard]] PlannerCapabilities capabilities() override { return {.row_places = this}; }
  void require_row_places(const StepDescription& /*step*/, std::size_t /*table*/) const override {}

  /// In a new file, a beginning in which readers find no step.
  [[nodiscard]] WritePlan guard(const StepPart& /*mine*/) override {
    WritePlan plan;
    if (is_new()) plan.add(0, bytes_of(std::string(magic) + number_of(first_header)));
    return plan;
  }
  /// The rows of each table.
  [[nodiscard]] Measure measure(const StepPart& mine, bool /*root*/) const override {
    return rows_of(mine.description);
  }
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override {
    Placement placement;
    StepDescription whole = mine.description;
    for (std::size_t t = 0; t < total.size(); ++t) whole.tables[t].rows = total[t];
    const std::string title = (is_new() ? header_of(file_) : "") + header_of(whole);
    placement.end = end_ + title.size();
    placement.tables = runs_of(mine.description, before, total, placement.end);
    if (root) placement.title.add(end_, bytes_of(title));
    return placement;
  }
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override {
    return {PublishWrite{end_offset, bytes_of(number_of(place(mine, total, total, false).end))}};
  }
  void advance(const StepPart& mine, const Measure& total, bool published) override {
    if (!published) return;
    end_ = place(mine, total, total, false).end;
    last_ = mine.description.number;
  }
  [[nodiscard]] Publication finish() override {
    const std::string header = header_of(file_);
    if (!is_new()) return {};
    return {PublishWrite{0, bytes_of(std::string(magic) + number_of(first_header + header.size()) + header)}};
  }
  [[nodiscard]] std::uint64_t published_size() const override { return is_new() ? 0 : end_; }

 private:
  [[nodiscard]] bool is_new() const noexcept { return end_ == first_header; }
  StepDescription file_;              ///< the header of the file
  std::uint64_t end_ = first_header;  ///< of the published bytes
  std::optional<std::int64_t> last_;  ///< the number of the last step
};

bool has_magic(std::span<const std::byte> head, std::uint64_t /*size*/) {
  return head.size() >= magic.size() && std::ranges::equal(head.first(magic.size()), bytes_of(magic));
}
std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext&, const CheckedOptions&) {
  return std::make_unique<RawDescriber>(std::move(bytes));
}
std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions&) { return std::make_unique<RawPlanner>(); }

}  // namespace

const Format& raw_format() {
  static const Format format{
      .name = "raw",
      .title = "raw columns with JSON headers",
      .suffixes = {".rawcols"},
      .recognises = has_magic,
      .describe = describe,
      .plan_writing = plan_writing,
      .fit = fit,
  };
  return format;
}

}  // namespace quire::test
