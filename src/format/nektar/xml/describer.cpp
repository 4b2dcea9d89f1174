#include "format/nektar/xml/describer.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "format/nektar/metadata.hpp"
#include "format/nektar/values.hpp"
#include "format/nektar/xml/part_names.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar {
namespace {

/// The run of one of the tables of blocks. Its values have no addresses in the file, but the places of the blocks are
/// known.
Place opaque_place(std::vector<Piece> pieces, std::uint64_t longest, std::uint64_t records, std::vector<Cell> cells,
                   ByteOrder order) {
  Run run;
  run.offset = pieces.front().offset;
  run.bytes = longest;
  run.records = records;
  run.order = order;
  run.cells = std::move(cells);
  run.opaque = true;
  if (pieces.size() > 1) run.pieces = std::move(pieces);
  return {{std::move(run)}};
}

/// The exception that `work` throws, or null.
template <class Work>
std::exception_ptr caught_by(Work&& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Whether a file has elements; nothing if it cannot be read far enough to decide.
std::optional<bool> has_elements(ByteSource& bytes) {
  try {
    XmlScanner scanner(bytes, 0, bytes.size());
    for (std::string tag = scanner.peek(); !tag.empty(); tag = scanner.peek()) {
      if (tag == "ELEMENTS") return true;
      static_cast<void>(scanner.next());
    }
    return false;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    return std::nullopt;
  }
}

/// Whether a name is that of a file in the same directory.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

XmlDescriber::XmlDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks,
                           std::vector<std::string> set)
    : OneStepDescriber(std::move(context)),
      bytes_(std::move(bytes)),
      blocks_(blocks),
      reader_([this](std::uint64_t member) { return source(member); }, context_.memory_budget) {
  description_.format = "nektar";
  guarded([&] { set.empty() ? read_index() : take_set(std::move(set)); });
  description_.layout.push_back({"flavour", description_.members.empty() ? "xml" : "directory of xml"});
  // The name of the layout in the options of the writer.
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
    if (!is_plain(name)) throw Error(ErrorKind::usage, "invalid name of a part: \"" + name + "\"").on("parts");
  }
  static_cast<void>(address_in(index_.size(), 0));
  description_.members = std::move(set);
  description_.warnings.push_back("the directory has no readable index: its " + std::to_string(index_.size() + 1) +
                                  " parts are read, others may be missing");
  parts_without_index_ = true;
}

void XmlDescriber::read_index() {
  XmlScanner scanner(*bytes_, 0, bytes_->size());
  std::string tag = scanner.peek();
  // An index has entries and no blocks, possibly after other elements.
  while (!tag.empty() && tag != "Partition" && tag != "MultipleFldFiles" && tag != "ELEMENTS") {
    static_cast<void>(scanner.next());
    tag = scanner.peek();
  }
  if (tag.empty()) refuse_empty_index();
  if (tag.empty() || tag == "ELEMENTS") return;
  const std::size_t slash = context_.path.rfind('/');
  description_.members.push_back(slash == std::string::npos ? context_.path : context_.path.substr(slash + 1));
  if (description_.members.front().empty()) description_.members.front() = "Info.xml";
  while (const auto element = scanner.next()) {
    if (element->name == tag) add_entry(scanner, *element);
  }
}

void XmlDescriber::add_entry(XmlScanner& scanner, const XmlElement& element) {
  try {
    std::string name = attribute_of_tag(scanner.window().text(element.tag), "FileName");
    if (!is_plain(name)) throw Error(ErrorKind::bad_file, "invalid name of a part: \"" + name + "\"");
    if (!listed_.insert(name).second) throw Error(ErrorKind::bad_file, "the index lists the part " + name + " twice");
    description_.members.push_back(std::move(name));
    const std::string ids = scanner.window().text(element.content);
    // A part without elements may be listed with an empty entry.
    const bool is_blank = ids.find_first_not_of(" \t\r\n") == std::string::npos;
    index_.push_back({is_blank ? RangeList() : RangeList::parse(ids), element.tag.offset});
  } catch (Error& error) {
    throw error.offset() ? error : error.at(element.tag.offset);
  }
  static_cast<void>(address_in(index_.size(), 0));
}

void XmlDescriber::refuse_empty_index() {
  const std::string name = context_.path.substr(context_.path.rfind('/') + 1);
  if (std::ranges::find(index_names, name) == index_names.end()) return;
  const std::vector<Unlisted> unlisted = unlisted_parts();
  if (unlisted.empty()) return;
  throw Error(ErrorKind::bad_file, "the index lists no parts, but some exist: " + unlisted.front().name)
      .at(bytes_->size());
}

std::vector<XmlDescriber::Unlisted> XmlDescriber::unlisted_parts() {
  if (!context_.beside || !context_.neighbour) return {};
  std::vector<Unlisted> found;
  const std::vector<std::string> names = context_.beside();
  for (const std::string& name : part_names(names)) {
    if (listed_.contains(name)) continue;
    const std::shared_ptr<ByteSource> bytes = context_.neighbour(name);
    const std::optional<bool> has_some = bytes ? has_elements(*bytes) : false;
    if (has_some.value_or(true)) found.push_back({name, has_some.has_value()});
  }
  return found;
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
  throw Error(ErrorKind::bad_file, "the part " + name + " in the index does not exist")
      .on(name)
      .at(index_[static_cast<std::size_t>(member) - 1].offset);
}

void XmlDescriber::adopt(std::uint64_t index, const StepLayout& layout) {
  if (index > 0 || (step_ && !is_adopted_)) return;
  step_ = layout;
  forget_names();
  is_adopted_ = true;
}

void XmlDescriber::describe() { describe_files(); }

template <class Work>
void XmlDescriber::attempt(std::uint64_t member, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (!only_whole_) throw;
    const std::string name = member == 0 ? "" : description_.members[static_cast<std::size_t>(member)] + ": ";
    const std::string object = error.object().empty() ? "" : " (" + error.object() + ")";
    step_->description.warnings.push_back(name + error.message() + object);
  }
}

void XmlDescriber::describe_files() {
  joined_.clear();
  known_.clear();
  contradictions_.clear();
  if (only_whole_) take_unlisted();
  for (std::uint64_t member = 0; member <= index_.size(); ++member) {
    if (!only_whole_ && is_unlisted(member)) continue;
    attempt(member, [&] {
      describe_file(member);
      check_part(member);
    });
    if (held_) hold_listed(member);
  }
  check_unlisted();
  BlockTables tables(*step_);
  for (Joined& joined : joined_) add_table(joined, tables);
  joined_ = {};
  step_->end = bytes_->size();
  step_->description.number = number_of(step_->description.attributes);
}

void XmlDescriber::describe_file(std::uint64_t member) {
  StepDescription& step = step_->description;
  ids_ = tagged_ids_ = {};
  unread_ = 1;
  const std::shared_ptr<ByteSource> bytes = source(member);
  bool has_blocks = false;
  std::optional<std::uint64_t> session;  // the offset of an element of a session or a mesh
  try {
    XmlScanner scanner(*bytes, 0, bytes->size());
    while (const auto element = scanner.next()) {
      if (element->name == "ELEMENTS") {
        has_blocks = true;
        attempt(member, [&] { add_block(scanner, member, *element); });
      } else if (element->name == "Metadata" || element->name == "FIELDMETADATA") {
        if (member == 0) add_metadata_of(scanner, *element);  // those of a set are in its index
      } else if (element->name == "GEOMETRY" || element->name == "EXPANSIONS" || element->name == "CONDITIONS") {
        session = session.value_or(element->tag.offset);
        step.warnings.push_back("the element " + element->name + " does not belong to fields and is left out");
      } else if (index_.empty() || member > 0 ||
                 (element->name != "Partition" && element->name != "MultipleFldFiles")) {
        step.warnings.push_back("the element " + element->name + " is unknown and is left out");
      }
    }
    if (session && !has_blocks) {
      throw Error(ErrorKind::unsupported, "this is a session or a mesh without fields").at(*session);
    }
    --unread_;
  } catch (Error& error) {
    throw error.in_file(path_of(member));
  }
}

void XmlDescriber::check_part(std::uint64_t member) {
  if (is_unlisted(member) && !ids_.is_empty()) {
    step_->description.warnings.push_back(description_.members[static_cast<std::size_t>(member)] +
                                          " is kept like those that the index lists");
  }
  if (member == 0 || !index_[static_cast<std::size_t>(member) - 1].ids) return;
  const RangeList& listed = *index_[static_cast<std::size_t>(member) - 1].ids;
  // The reference omits an id from the list that equals the previous one: of blocks of a single element on other
  // strips.
  if (ids_ == listed || ids_.without_repeats() == listed.without_repeats()) return;
  if (ids_.is_empty()) {
    throw Error(ErrorKind::bad_file,
                "the index lists " + std::to_string(listed.count()) + " elements here, but there are none")
        .in_file(path_of(member));
  }
  contradict(description_.members[static_cast<std::size_t>(member)],
             ids_.count() == listed.count() ? "has other elements than the index lists"
                                            : "has " + std::to_string(ids_.count()) +
                                                  " elements, but the index lists " + std::to_string(listed.count()));
}

void XmlDescriber::contradict(const std::string& name, const std::string& what) {
  step_->description.warnings.push_back(name + " " + what);
  contradictions_.push_back(Error(ErrorKind::bad_file, name + " " + what).in_file(context_.path));
}

void XmlDescriber::check_unlisted() {
  if (description_.members.empty() || parts_without_index_) return;
  for (const Unlisted& part : unlisted_parts()) {
    contradict(part.name, part.is_readable ? "has elements, but the index does not list it"
                                           : "cannot be read, and the index does not list it");
  }
}

void XmlDescriber::take_unlisted() {
  held_.reset();
  doubtful_.clear();
  if (description_.members.empty() || parts_without_index_) return;
  for (Unlisted& part : unlisted_parts()) {
    held_.emplace();
    if (std::ranges::find(description_.members, part.name) != description_.members.end()) continue;
    description_.members.push_back(std::move(part.name));
    index_.push_back({.ids = std::nullopt, .offset = 0, .is_listed = false});
  }
  static_cast<void>(address_in(index_.size(), 0));
}

void XmlDescriber::hold_listed(std::uint64_t member) {
  if (member == 0 || is_unlisted(member)) return;
  const RangeList& listed = *index_[static_cast<std::size_t>(member) - 1].ids;
  // Whole parts count with the elements that they contain, even if the index is from another run.
  if (unread_ == 0 && (listed.is_empty() || !tagged_ids_.is_empty())) return;
  held_->add(listed);
  if (unread_ > 0 && listed.is_empty() && doubtful_.empty()) {
    doubtful_ = description_.members[static_cast<std::size_t>(member)];
  }
}

bool XmlDescriber::is_unlisted(std::uint64_t member) const {
  return member > 0 && !index_[static_cast<std::size_t>(member) - 1].is_listed;
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

void XmlDescriber::add_block(XmlScanner& scanner, std::uint64_t member, const XmlElement& element) {
  try {
    ++unread_;
    XmlBlock block = parse_tag(scanner.window().text(element.tag), element.content.length, step_->description.warnings);
    const XmlPlace place{address_in(member, element.tag.offset), address_in(member, element.content.offset),
                         element.content.length};
    --unread_;
    if (only_whole_) check_kept(member, place, block);
    if (member > 0) ids_.append(block.ids);
    const std::string origin =
        description_.members.empty() ? "" : description_.members[static_cast<std::size_t>(member)];
    std::size_t number = joined_.size();
    if (blocks_ == Blocks::joined) number = known_.emplace(kind_of(block), number).first->second;
    if (number == joined_.size()) {
      Joined& made = joined_.emplace_back();
      made.block = block;
      made.block.elements = made.block.coefficients = 0;
      made.block.expansion.origin = origin;
      made.order = block.order;
    }
    Joined& joined = joined_[number];
    if (joined.block.expansion.origin != origin) joined.block.expansion.origin.clear();
    joined.payloads.push_back({joined.block.coefficients, place.payload});
    joined.tags.push_back({joined.block.elements, place.tag});
    joined.longest_payload = std::max(joined.longest_payload, element.content.length);
    joined.longest_tag = std::max(joined.longest_tag, element.tag.length);
    joined.block.elements = checked_add(joined.block.elements, block.elements);
    joined.block.coefficients = checked_add(joined.block.coefficients, block.coefficients);
  } catch (Error& error) {
    throw error.offset() ? error : error.at(element.tag.offset);
  }
}

void XmlDescriber::check_kept(std::uint64_t member, const XmlPlace& place, const XmlBlock& block) {
  try {
    // An older run may have left more parts than the one that wrote the index. The contents of the listed parts take
    // precedence, even if they are damaged or missing and only in the index: parts of two runs are not combined.
    const bool is_rest = held_ && is_unlisted(member);
    if (is_rest && !doubtful_.empty()) {
      throw Error(ErrorKind::bad_file, "left out, as the elements of " + doubtful_ + " are unknown");
    }
    const auto twice = is_rest ? held_->repeated(block) : std::nullopt;
    if (twice) {
      throw Error(ErrorKind::bad_file, "left out, as earlier parts also contain element " + std::to_string(*twice));
    }
    if (held_) {
      held_->add(block);
      tagged_ids_.append(block.ids);
    }
    reader_.verify(place);
  } catch (Error& error) {
    throw error.on("a block of " + block.expansion.shape + " elements");
  }
}

void XmlDescriber::add_table(Joined& joined, BlockTables& tables) {
  const Block& block = joined.block;
  std::vector<Cell> values;
  for (std::size_t i = 0; i < block.variables.size(); ++i) values.push_back({.column = i, .type = Type::float64});
  std::vector<Cell> numbers;
  const std::size_t columns = block.expansion.is_mixed() ? block.expansion.basis.size() + 1 : 1;
  for (std::size_t i = 0; i < columns; ++i) numbers.push_back({.column = i, .type = Type::uint32});
  Place coefficients = opaque_place(std::move(joined.payloads), joined.longest_payload, block.coefficients,
                                    std::move(values), joined.order);
  Place elements =
      opaque_place(std::move(joined.tags), joined.longest_tag, block.elements, std::move(numbers), joined.order);
  tables.add(std::move(joined.block), std::move(coefficients), std::move(elements));
}

const StepLayout& XmlDescriber::read_layout() {
  if (salvaged_ && !step_) return *salvaged_;
  return layout();
}

std::vector<XmlDescriber::Part> XmlDescriber::parts_of(std::size_t table, const Slice& rows) {
  const StepLayout& step = read_layout();
  const std::size_t first = step.description.tables[table].expansion ? table : table - 1;
  const Run& run = step.tables[table].runs.front();
  const Run& payloads = step.tables[first].runs.front();
  const Run& tags = step.tables[first + 1].runs.front();
  if (run.pieces.empty()) return {{{tags.offset, payloads.offset, payloads.bytes}, rows, 0}};
  std::vector<Part> parts;
  auto piece = std::ranges::upper_bound(run.pieces, rows.first, {}, &Piece::first) - 1;
  for (std::uint64_t done = 0; done < rows.count; ++piece) {
    const auto number = static_cast<std::size_t>(piece - run.pieces.begin());
    const std::uint64_t end = number + 1 < run.pieces.size() ? run.pieces[number + 1].first : run.records;
    const std::uint64_t count = std::min(rows.end(), end) - (rows.first + done);
    parts.push_back({{tags.pieces.at(number).offset, payloads.pieces.at(number).offset, payloads.bytes},
                     {rows.first + done - piece->first, count},
                     done});
    done += count;
  }
  return parts;
}

void XmlDescriber::read_numbers(const Part& part, std::size_t column, std::span<std::uint32_t> out) {
  const XmlBlock& block = reader_.block(part.place);
  if (column == 0) return block.ids.expand(part.rows, out);
  const std::size_t directions = block.expansion.basis.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint32_t>(
        block.mixed_modes[static_cast<std::size_t>(part.rows.first + i) * directions + column - 1]);
  }
}

void XmlDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t /*component*/,
                               const Slice& rows, const View& out) {
  guarded([&] {
    require_step(index);
    const StepLayout& step = read_layout();
    const ColumnPosition position = column_of(step, object);
    const auto target = [](auto to, const Part& part) {
      return to.subspan(static_cast<std::size_t>(part.before), static_cast<std::size_t>(part.rows.count));
    };
    if (step.description.tables[position.table].expansion) {
      in_pieces<double>(Type::float64, rows, out, object, values_at_once, [&](const Slice& some, std::span<double> to) {
        for (const Part& part : parts_of(position.table, some)) {
          in_file_of(part, [&] { reader_.read(part.place, position.column, part.rows, target(to, part)); });
        }
      });
      return;
    }
    in_pieces<std::uint32_t>(Type::uint32, rows, out, object, values_at_once,
                             [&](const Slice& some, std::span<std::uint32_t> to) {
                               for (const Part& part : parts_of(position.table, some)) {
                                 in_file_of(part, [&] { read_numbers(part, position.column, target(to, part)); });
                               }
                             });
  });
}

std::optional<StepLayout> XmlDescriber::verified(std::uint64_t index) {
  auto found = step(index);
  if (!found) return found;
  try {
    guarded([&] { verify_payloads(*found); });
  } catch (...) {
    report_contradictions(0);
    throw;
  }
  report_contradictions(1);
  if (!contradictions_.empty()) throw Error(contradictions_.front());
  return found;
}

void XmlDescriber::verify_payloads(const StepLayout& step) {
  for (std::size_t t = 0; t < step.tables.size(); t += 2) {
    for (const Part& part : parts_of(t, {0, step.description.tables[t].rows})) {
      in_file_of(part, [&] { reader_.verify(part.place); });
    }
  }
}

void XmlDescriber::report_contradictions(std::size_t passed) {
  for (std::size_t i = passed; i < contradictions_.size(); ++i) {
    const std::string& text = contradictions_[i].message();
    std::vector<std::string>& warnings = description_.warnings;
    if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(text);
  }
}

std::optional<StepLayout> XmlDescriber::salvage(std::uint64_t index) {
  if (index > 0) return std::nullopt;
  step_.emplace();
  forget_names();
  only_whole_ = true;
  const auto failure = caught_by([&] { guarded([&] { describe_files(); }); });
  only_whole_ = false;
  StepLayout kept = *std::move(step_);
  step_.reset();
  if (failure) std::rethrow_exception(failure);
  if (kept.tables.empty()) return std::nullopt;
  // Warnings of the file are not repeated.
  std::erase_if(kept.description.warnings, [&](const std::string& text) {
    return std::ranges::find(description_.warnings, text) != description_.warnings.end();
  });
  salvaged_ = kept;
  return kept;
}

}  // namespace quire::nektar
