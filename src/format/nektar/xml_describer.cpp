#include "format/nektar/xml_describer.hpp"

#include <algorithm>
#include <utility>

#include "format/nektar/metadata.hpp"
#include "format/nektar/values.hpp"
#include "quire/base/checked.hpp"
#include "quire/plan/member.hpp"

namespace quire::nektar {
namespace {

constexpr std::size_t values_at_once = std::size_t{32} << 10;

/// The runs of both tables of a block: what stands in the file is not addressed, but its place is known.
Place opaque_place(const Extent& part, std::uint64_t member, std::uint64_t records, const std::vector<Cell>& cells,
                   ByteOrder order) {
  Run run;
  run.offset = address_in(member, part.offset);
  run.bytes = part.length;
  run.records = records;
  run.order = order;
  run.cells = cells;
  run.opaque = true;
  return {{std::move(run)}};
}

/// Whether a name is that of a file in the same directory.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

std::vector<std::string> part_names(std::span<const std::string> names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    constexpr std::string_view end = ".fld";
    const bool has_frame = name.size() > 1 + end.size() && name.front() == 'P' && name.ends_with(end);
    if (has_frame && std::ranges::all_of(name.substr(1, name.size() - 1 - end.size()),
                                         [](char c) { return c >= '0' && c <= '9'; })) {
      found.push_back(name);
    }
  }
  // Early writers left out the leading zeros.
  std::ranges::sort(found, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return found;
}

XmlDescriber::XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, std::vector<std::string> set)
    : OneStepDescriber(std::move(context)), bytes_(std::move(bytes)) {
  description_.format = "nektar";
  guarded([&] { set.empty() ? read_index() : take_set(std::move(set)); });
  description_.layout.push_back({"flavour", description_.members.empty() ? "xml" : "directory of xml"});
  // As the option of a writer calls it.
  description_.layout.push_back({"layout", description_.members.empty() ? "xml" : "directory"});
  const std::size_t own_blocks = parts_without_index_ ? 1 : 0;
  if (!description_.members.empty()) {
    description_.layout.push_back({"parts", std::to_string(index_.size() + own_blocks)});
  }
}

void XmlDescriber::take_set(std::vector<std::string> set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i > 0) index_.push_back({});
    const std::string& name = set[i];
    if (!is_plain(name)) throw Error(ErrorKind::usage, "a part has a name that is none: \"" + name + "\"").on("parts");
  }
  static_cast<void>(address_in(index_.size(), 0));
  description_.members = std::move(set);
  description_.warnings.push_back("the directory has no index: its " + std::to_string(index_.size() + 1) +
                                  " parts are read, whether or not these are all");
  parts_without_index_ = true;
}

void XmlDescriber::read_index() {
  XmlScanner scanner(*bytes_, 0, bytes_->size());
  std::string tag = scanner.peek();
  // Whatever stands before, an index has entries and no blocks.
  while (!tag.empty() && tag != "Partition" && tag != "MultipleFldFiles" && tag != "ELEMENTS") {
    static_cast<void>(scanner.next());
    tag = scanner.peek();
  }
  if (tag.empty() || tag == "ELEMENTS") return;
  const std::size_t slash = context_.path.rfind('/');
  description_.members.push_back(slash == std::string::npos ? context_.path : context_.path.substr(slash + 1));
  if (description_.members.front().empty()) description_.members.front() = "Info.xml";
  while (const auto element = scanner.next()) {
    if (element->name != tag) continue;
    try {
      std::string name = attribute_of_tag(scanner.window().text(element->tag), "FileName");
      if (!is_plain(name)) throw Error(ErrorKind::bad_file, "a part has a name that is none: \"" + name + "\"");
      description_.members.push_back(std::move(name));
      index_.push_back({RangeList::parse(scanner.window().text(element->content)), element->tag.offset});
    } catch (Error& error) {
      throw error.offset() ? error : error.at(element->tag.offset);
    }
    static_cast<void>(address_in(index_.size(), 0));
  }
}

std::string XmlDescriber::path_of(std::uint64_t member) const {
  if (member == 0) return context_.path;
  const std::size_t slash = context_.path.rfind('/');
  const std::string& name = description_.members[static_cast<std::size_t>(member)];
  return slash == std::string::npos ? name : context_.path.substr(0, slash + 1) + name;
}

std::shared_ptr<ByteSource> XmlDescriber::source(std::uint64_t member) {
  if (member == 0) return bytes_;
  if (open_part_ && open_member_ == member) return open_part_;
  if (member >= description_.members.size()) throw Error(ErrorKind::internal, "the set has no such part");
  open_part_ =
      context_.neighbour ? context_.neighbour(description_.members[static_cast<std::size_t>(member)]) : nullptr;
  open_member_ = member;
  if (open_part_) return open_part_;
  const std::string& name = description_.members[static_cast<std::size_t>(member)];
  throw Error(ErrorKind::bad_file, "the part " + name + " that the index names is not there")
      .on(name)
      .at(index_[static_cast<std::size_t>(member) - 1].offset);
}

void XmlDescriber::adopt(std::uint64_t index, const StepLayout& layout) {
  if (index == 0 && !step_) step_ = layout;
}

void XmlDescriber::describe() { describe_files(false); }

void XmlDescriber::describe_files(bool only_whole) {
  BlockTables tables(*step_);
  for (std::uint64_t member = 0; member <= index_.size(); ++member) {
    const std::size_t first_table = step_->description.tables.size();
    try {
      describe_file(member, tables);
      check_part(member, first_table);
    } catch (const Error& error) {
      if (!only_whole) throw;
      const std::string name = member == 0 ? "" : description_.members[static_cast<std::size_t>(member)] + ": ";
      step_->description.warnings.push_back(name + error.message());
    }
  }
  step_->end = bytes_->size();
  step_->description.number = number_of(step_->description.attributes);
}

void XmlDescriber::describe_file(std::uint64_t member, BlockTables& tables) {
  StepDescription& step = step_->description;
  const std::shared_ptr<ByteSource> bytes = source(member);
  ids_ = {};
  try {
    XmlScanner scanner(*bytes, 0, bytes->size());
    while (const auto element = scanner.next()) {
      if (element->name == "ELEMENTS") {
        add_block(scanner, member, *element, tables);
      } else if (element->name == "Metadata" || element->name == "FIELDMETADATA") {
        if (member == 0) add_metadata_of(scanner, *element);  // those of a set stand in its index
      } else if (element->name == "GEOMETRY" || element->name == "EXPANSIONS" || element->name == "CONDITIONS") {
        throw Error(ErrorKind::unsupported, "this is a session or a mesh, it holds no fields").at(element->tag.offset);
      } else if (index_.empty() || member > 0 ||
                 (element->name != "Partition" && element->name != "MultipleFldFiles")) {
        step.warnings.push_back("the element " + element->name + " is unknown and left out");
      }
    }
  } catch (Error& error) {
    throw error.in_file(path_of(member));
  }
}

void XmlDescriber::check_part(std::uint64_t member, std::size_t first_table) {
  if (member == 0 || !index_[static_cast<std::size_t>(member) - 1].ids) return;
  const RangeList& told = *index_[static_cast<std::size_t>(member) - 1].ids;
  StepDescription& step = step_->description;
  if (step.tables.size() == first_table) {
    throw Error(ErrorKind::bad_file,
                "the index tells of " + std::to_string(told.count()) + " elements here, but there are none")
        .in_file(path_of(member));
  }
  if (ids_ == told) return;
  const std::string name = description_.members[static_cast<std::size_t>(member)];
  step.warnings.push_back(ids_.count() == told.count() ? name + " has other elements than the index says"
                                                       : name + " has " + std::to_string(ids_.count()) + " elements, " +
                                                             std::to_string(told.count()) + " by the index");
}

void XmlDescriber::add_metadata_of(XmlScanner& scanner, const XmlElement& element) {
  if (element.whole.length > context_.memory_budget) {
    throw Error(ErrorKind::memory, "the metadata exceed the memory budget").at(element.whole.offset);
  }
  try {
    add_metadata(scanner.window().text(element.whole), step_->description.attributes, step_->description.warnings);
  } catch (Error& error) {
    throw error.at(element.whole.offset + error.offset().value_or(0));
  }
}

void XmlDescriber::add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element,
                             BlockTables& tables) {
  try {
    XmlBlock block = parse_tag(scanner.window().text(element.tag), element.content.length, step_->description.warnings);
    const ByteOrder order = block.order;
    if (member > 0) ids_.append(block.ids);
    if (!description_.members.empty()) block.expansion.origin = description_.members[static_cast<std::size_t>(member)];
    std::vector<Cell> values;
    for (std::size_t i = 0; i < block.variables.size(); ++i) values.push_back({.column = i, .type = Type::float64});
    std::vector<Cell> numbers;
    const std::size_t columns = block.expansion.is_mixed() ? block.expansion.basis.size() + 1 : 1;
    for (std::size_t i = 0; i < columns; ++i) numbers.push_back({.column = i, .type = Type::uint32});
    Place coefficients = opaque_place(element.content, member, block.coefficients, values, order);
    Place elements = opaque_place(element.tag, member, block.elements, numbers, order);
    tables.add(std::move(block), std::move(coefficients), std::move(elements));
  } catch (Error& error) {
    throw error.offset() ? error : error.at(element.tag.offset);
  }
}

const StepLayout& XmlDescriber::read_layout() {
  if (salvaged_ && !step_) return *salvaged_;
  return layout();
}

const XmlBlock& XmlDescriber::block_of(std::size_t table) {
  const StepLayout& step = read_layout();
  const std::size_t first = step.description.tables[table].expansion ? table : table - 1;
  const Run& payload = step.tables[first].runs.front();
  const Run& tag = step.tables[first + 1].runs.front();
  if (block_at_ == tag.offset) return block_;
  block_at_.reset();
  payload_.reset();
  values_ = {};
  const std::uint64_t member = member_of(tag.offset);
  part_ = source(member);
  Window window(*part_, offset_in(tag.offset), tag.bytes);
  std::vector<std::string> told;
  block_ = parse_tag(window.text({0, tag.bytes}), payload.bytes, told);
  payload_.emplace(*part_, Extent{offset_in(payload.offset), payload.bytes},
                   checked_multiply(block_.coefficients, block_.variables.size()), block_.order);
  block_at_ = tag.offset;
  return block_;
}

void XmlDescriber::read_values(std::size_t table, std::size_t column, const Slice& rows, std::span<double> out) {
  const XmlBlock& block = block_of(table);
  const std::uint64_t first = column * block.coefficients + rows.first;
  const std::uint64_t all = block.coefficients * block.variables.size();
  if (all > context_.memory_budget / sizeof(double)) return payload_->read(first, out);
  if (values_.empty()) {
    std::vector<double> values(static_cast<std::size_t>(all));
    payload_->read(0, values);
    values_ = std::move(values);
  }
  std::ranges::copy(std::span(values_).subspan(static_cast<std::size_t>(first), out.size()), out.begin());
}

void XmlDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t /*component*/,
                               const Slice& rows, const View& out) {
  guarded([&] {
    require_step(index);
    const std::size_t slash = object.find('/');
    const StepDescription& step = read_layout().description;
    const std::size_t table = step.find_table(object.substr(0, slash));
    const std::size_t column = step.tables[table].find(object.substr(slash + 1));
    if (step.tables[table].expansion) {
      in_pieces<double>(Type::float64, rows, out, object, values_at_once,
                        [&](const Slice& part, std::span<double> to) { read_values(table, column, part, to); });
      return;
    }
    const XmlBlock& block = block_of(table);
    in_pieces<std::uint32_t>(
        Type::uint32, rows, out, object, values_at_once, [&](const Slice& part, std::span<std::uint32_t> to) {
          if (column == 0) return block.ids.expand(part, to);
          const std::size_t directions = block.expansion.basis.size();
          for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = static_cast<std::uint32_t>(
                block.mixed_modes[static_cast<std::size_t>(part.first + i) * directions + column - 1]);
          }
        });
  });
}

void XmlDescriber::decode(std::size_t table) {
  const Table& values = step_->description.tables[table];
  const std::uint64_t all = values.rows * values.columns.size();
  static_cast<void>(block_of(table));
  std::vector<double> some;
  for (std::uint64_t done = 0; done < all; done += some.size()) {
    some.resize(static_cast<std::size_t>(std::min<std::uint64_t>(values_at_once, all - done)));
    payload_->read(done, some);
  }
}

std::optional<StepLayout> XmlDescriber::verified(std::uint64_t index) {
  auto found = step(index);
  if (!found) return found;
  guarded([&] {
    for (std::size_t t = 0; t < found->tables.size(); t += 2) decode(t);
  });
  return found;
}

std::optional<StepLayout> XmlDescriber::salvage(std::uint64_t index) {
  if (index > 0) return std::nullopt;
  step_.emplace();
  guarded([&] {
    describe_files(true);
    drop_damaged_blocks();
  });
  StepLayout kept = *std::move(step_);
  step_.reset();
  if (kept.tables.empty()) return std::nullopt;
  salvaged_ = kept;
  return kept;
}

void XmlDescriber::drop_damaged_blocks() {
  StepLayout& step = *step_;
  std::vector<Table> tables;
  std::vector<Place> places;
  for (std::size_t t = 0; t < step.tables.size(); t += 2) {
    try {
      decode(t);
    } catch (const Error& error) {
      const std::string& origin = step.description.tables[t].expansion->origin;
      step.description.warnings.push_back((origin.empty() ? "" : origin + ": ") + error.message() + ": the block " +
                                          step.description.tables[t].name + " is left out");
      continue;
    }
    for (const std::size_t kept : {t, t + 1}) {
      tables.push_back(step.description.tables[kept]);
      places.push_back(step.tables[kept]);
    }
  }
  step.description.tables = std::move(tables);
  step.tables = std::move(places);
}

}  // namespace quire::nektar
