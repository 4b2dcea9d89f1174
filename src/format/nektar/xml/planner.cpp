#include "format/nektar/xml/planner.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "format/nektar/xml/part_names.hpp"
#include "format/text/digits.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar {
namespace {

enum Slot : std::size_t { body, opening, ranks, slots };

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string part_name(std::uint64_t rank) { return "P" + text::zero_padded(rank, 7) + ".fld"; }

/// The line of a rank in the index; ranks without elements have none.
std::string index_line(std::uint64_t rank, const std::string& ids) {
  if (ids.empty()) return {};
  return "    <Partition FileName=\"" + part_name(rank) + "\">" + ids + "</Partition>\n";
}

/// Adds texts to a plan one after another: short ones are combined, long ones are not copied.
class TextPlacing {
 public:
  TextPlacing(WritePlan& plan, std::uint64_t offset) : plan_(plan), begin_(offset) {}

  void add(std::string_view text) { pending_ += text; }
  void add(const std::shared_ptr<const std::vector<std::byte>>& text) {
    constexpr std::size_t long_text = std::size_t{64} << 10;
    if (text->size() < long_text) return add({reinterpret_cast<const char*>(text->data()), text->size()});
    plan_.owned.push_back(text);
    plan_.add(skip(text->size()), std::span(*text));
  }
  /// Leaves space for bytes that are added elsewhere; returns its offset.
  std::uint64_t skip(std::uint64_t length) {
    flush();
    return std::exchange(begin_, checked_add(begin_, length));
  }
  void flush() {
    if (!pending_.empty()) plan_.add(begin_, bytes_of(pending_));
    begin_ = checked_add(begin_, pending_.size());
    pending_.clear();
  }

 private:
  WritePlan& plan_;
  std::uint64_t begin_;  ///< of what is pending
  std::string pending_;
};

}  // namespace

void XmlPlanner::weigh(StepPart& part, bool lossy) const {
  weighing(part.description).add(part, lossy);
  part.weights.tables.resize(part.description.tables.size(), 0);
}

XmlWeighing& XmlPlanner::weighing(const StepDescription& step) const {
  return weighing_ ? *weighing_ : weighing_.emplace(step, limits_);
}

const XmlWeighing& XmlPlanner::weighed(const StepPart& mine) const {
  const XmlWeighing& all = weighing(mine.description);
  all.require_all(mine.description);
  return all;
}

Measure XmlPlanner::measure(const StepPart& mine, bool root) const {
  const XmlWeighing& own = weighed(mine);
  Measure measure(slots, 0);
  measure[ranks] = 1;
  if (root) measure[opening] = opening_text(metadata_of(mine.description)).size();
  if (is_directory_) {
    measure[body] = index_line(0, own.ids_text()).size();
    return measure;
  }
  const auto count = [&](std::uint64_t length) { measure[body] = checked_add(measure[body], length); };
  own.print(
      mine.description, [&](std::string_view text) { count(text.size()); },
      [&](const Payload& payload, std::size_t, std::size_t) { count(payload.length); });
  return measure;
}

Placement XmlPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool root) const {
  Placement placement;
  placement.tables.resize(mine.description.tables.size());
  placement.end = checked_add(total[opening], total[body]);
  const std::string begin = opening_text(metadata_of(mine.description));
  if (root) placement.title.add(0, bytes_of(begin));
  const std::uint64_t own = total[opening] + before[body];
  if (!is_directory_) {
    place_blocks(placement, mine, own, "", "");
    return placement;
  }
  const std::uint64_t rank = before[ranks];
  if (total[ranks] > most_members - 1 || part_name(rank).size() != part_name(0).size()) {
    throw Error(ErrorKind::unsupported,
                "a directory holds the files of " + std::to_string(most_members - 1) + " ranks at most")
        .advise("write one file: layout hdf5 or streams");
  }
  place_blocks(placement, mine, address_in(rank + 1, 0), begin, closing_text());
  const std::string line = index_line(rank, weighed(mine).ids_text());
  if (!line.empty()) placement.title.add(own, bytes_of(line));
  return placement;
}

void XmlPlanner::place_blocks(Placement& placement, const StepPart& mine, std::uint64_t offset, std::string_view before,
                              std::string_view after) const {
  const XmlWeighing& own = weighed(mine);
  auto rows = std::make_shared<XmlRows>();
  TextPlacing placing(placement.title, offset);
  placing.add(before);
  own.print(
      mine.description, [&](std::string_view text) { placing.add(text); },
      [&](const Payload& payload, std::size_t table, std::size_t block) {
        if (payload.text) return placing.add(payload.text);
        rows->expect(own, table, block, {placing.skip(payload.length), payload.length});
      });
  placing.add(after);
  placing.flush();
  if (rows->is_needed()) placement.weighed = std::move(rows);
}

Publication XmlPlanner::publish(const StepPart& /*mine*/, const Measure& total) {
  return {PublishWrite{total[opening] + total[body], bytes_of(closing_text())}};
}

void XmlPlanner::advance(const StepPart& /*mine*/, const Measure& total, bool published) {
  weighing_.reset();
  is_written_ = is_written_ || published;
  if (published) published_end_ = total[opening] + total[body] + closing_text().size();
}

Publication XmlPlanner::finish() {
  if (published_end_ != 0) return {};
  return {PublishWrite{0, bytes_of(opening_text(metadata_of(nothing())) + closing_text())}};
}

std::string XmlPlanner::entry() const { return is_directory_ ? std::string(index_names.front()) : ""; }

std::string XmlPlanner::member_name(const std::string& /*first*/, std::uint64_t member) const {
  return is_directory_ && member > 0 ? part_name(member - 1) : "";
}

bool XmlPlanner::is_member(const std::string& /*first*/, std::string_view name) const {
  // All files that a reader accepts as part of a checkpoint, regardless of the writer.
  return is_directory_ && (is_part_name(name) || std::ranges::find(index_names, name) != index_names.end());
}

}  // namespace quire::nektar
