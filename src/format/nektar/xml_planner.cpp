#include "format/nektar/xml_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/plan/member.hpp"

namespace quire::nektar {
namespace {

enum Slot : std::size_t { body, opening, ranks, slots };

constexpr std::string_view index_name = "Info.xml";
constexpr std::size_t digits = 7;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string part_name(std::uint64_t rank) { return fmt::format("P{:07}.fld", rank); }

}  // namespace

void XmlPlanner::weigh(StepPart& part, bool lossy) const {
  values_.add(part.description, part.tables, lossy);
  part.weights.tables.resize(part.description.tables.size(), 0);
}

const XmlPlanner::Texts& XmlPlanner::texts(const StepPart& mine) const {
  if (texts_) return *texts_;
  // A step without any table has not been weighed.
  values_.reals.resize(mine.description.tables.size());
  values_.numbers.resize(mine.description.tables.size());
  for (const BlockPair& block : blocks_of(mine.description)) {
    values_.reals[block.values].resize(mine.description.tables[block.values].columns.size());
    values_.numbers[block.elements].resize(mine.description.tables[block.elements].columns.size());
    for (auto ids = values_.numbers[block.elements].front(); !ids.empty(); ids.clear()) {
      std::ranges::sort(ids);
      const auto twice = std::ranges::adjacent_find(ids);
      if (twice == ids.end()) continue;
      throw Error(ErrorKind::usage, "element " + std::to_string(*twice) + " is put twice")
          .on(mine.description.tables[block.values].name);
    }
  }
  Texts made;
  made.opening = opening_text(mine.description);
  made.blocks = blocks_text(mine.description, values_, largest_block_);
  if (is_directory_) made.index = ids_text(mine.description, values_);
  values_ = {};
  texts_ = std::move(made);
  return *texts_;
}

Measure XmlPlanner::measure(const StepPart& mine, bool root) const {
  const Texts& own = texts(mine);
  Measure measure(slots, 0);
  measure[ranks] = 1;
  if (root) measure[opening] = own.opening.size();
  measure[body] = own.blocks.size();
  if (is_directory_) {
    constexpr std::size_t frame = std::string_view("    <Partition FileName=\"P0000000.fld\"></Partition>\n").size();
    measure[body] = own.index.empty() ? 0 : own.index.size() + frame;
  }
  return measure;
}

Placement XmlPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool root) const {
  const Texts& own = texts(mine);
  Placement placement;
  placement.tables.resize(mine.description.tables.size());
  placement.end = checked_add(total[opening], total[body]);
  if (root) placement.title.add(0, bytes_of(own.opening));
  const std::uint64_t rank = before[ranks];
  if (!is_directory_) {
    if (!own.blocks.empty()) placement.title.add(total[opening] + before[body], bytes_of(own.blocks));
    return placement;
  }
  if (total[ranks] > most_members - 1 || part_name(rank).size() != part_name(0).size()) {
    throw Error(ErrorKind::unsupported,
                "a directory holds the files of " + std::to_string(most_members - 1) + " ranks at most")
        .advise("write one file: layout hdf5 or streams");
  }
  placement.title.add(address_in(rank + 1, 0), bytes_of(own.opening + own.blocks + closing_text()));
  if (!own.index.empty()) {
    placement.title.add(
        total[opening] + before[body],
        bytes_of(fmt::format("    <Partition FileName=\"{}\">{}</Partition>\n", part_name(rank), own.index)));
  }
  return placement;
}

Publication XmlPlanner::publish(const StepPart& /*mine*/, const Measure& total) {
  return {PublishWrite{total[opening] + total[body], bytes_of(closing_text())}};
}

void XmlPlanner::advance(const StepPart& /*mine*/, const Measure& total, bool published) {
  texts_.reset();
  values_ = {};
  is_written_ = is_written_ || published;
  if (published) published_end_ = total[opening] + total[body] + closing_text().size();
}

Publication XmlPlanner::finish() {
  if (published_end_ != 0) return {};
  return {PublishWrite{0, bytes_of(opening_text(nothing()) + closing_text())}};
}

std::string XmlPlanner::entry() const { return is_directory_ ? std::string(index_name) : ""; }

std::string XmlPlanner::member_name(const std::string& /*first*/, std::uint64_t member) const {
  return is_directory_ && member > 0 ? part_name(member - 1) : "";
}

bool XmlPlanner::is_member(const std::string& /*first*/, std::string_view name) const {
  constexpr std::string_view end = ".fld";
  if (!is_directory_) return false;
  if (name.size() != 1 + digits + end.size() || name.front() != 'P' || !name.ends_with(end)) return false;
  return std::ranges::all_of(name.substr(1, digits), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace quire::nektar
