#include "api/write/padded_texts.hpp"

#include <algorithm>
#include <string>

#include "api/root.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// Calls `visit` with each column of padded texts and the numbers of its table and itself.
template <class Visit>
void for_each_text(const PlannerCapabilities& planner, const StepDescription& step, const Visit& visit) {
  if (planner.longest_padded_text == 0) return;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const std::vector<Column>& columns = step.tables[t].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].type == Type::string) visit(t, c);
    }
  }
}

/// The size of the texts of a column whose longest text on any rank has `longest` bytes. Throws if they do not fit.
std::uint64_t text_bytes_of(const Column& column, std::uint64_t longest, std::uint64_t limit) {
  const auto bytes = [](std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); };
  if (column.text_bytes != 0 && longest > column.text_bytes) {
    throw Error(ErrorKind::conflict, "the longest text has " + bytes(longest) +
                                         ", those of the column in the file have " + bytes(column.text_bytes))
        .on(column.name)
        .advise("write another step, or declare the first rows of this one with a longer longest_string (text_bytes)");
  }
  if (longest > limit) {
    throw Error(ErrorKind::unsupported, "the longest text has " + bytes(longest) +
                                            ", and all texts of a column take as "
                                            "many as the longest: at most " +
                                            std::to_string(limit))
        .on(column.name)
        .advise("leave the column out, or write a format whose texts have any size");
  }
  // A type of texts has at least one byte.
  return column.text_bytes != 0 ? column.text_bytes : std::max<std::uint64_t>(longest, 1);
}

}  // namespace

void pad_texts(const PlannerCapabilities& planner, StepDescription& step, const LongestTexts& longest) {
  for_each_text(planner, step, [&](std::size_t t, std::size_t c) {
    Column& column = step.tables[t].columns[c];
    column.text_bytes = text_bytes_of(column, longest.at(t).at(c), planner.longest_padded_text);
  });
}

void propose_texts(const State& step, Proposal& mine) {
  for_each_text(step.writer->capabilities(), step.accepted,
                [&](std::size_t t, std::size_t c) { mine.compared.push_back(step.part->longest_strings.at(t).at(c)); });
}

void agree_on_texts(State& step, std::span<const std::uint64_t> greatest) {
  const PlannerCapabilities planner = step.writer->capabilities();
  LongestTexts longest = step.part->longest_strings;
  std::size_t next = 0;
  for_each_text(planner, step.accepted, [&](std::size_t t, std::size_t c) { longest[t][c] = greatest[next++]; });
  if (next == 0) return;
  const auto error = caught(step.writer->comm.rank(), [&] { pad_texts(planner, step.accepted, longest); });
  if (error) fail_together(step, error);
  step.part->description = step.accepted;
}

}  // namespace quire
