#include "api/write/chosen_rows.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "api/write/step_size.hpp"
#include "api/write/whole_tables.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// The compared words of each table: the end of the rows of a rank, and its total of the whole table. The total is sent
/// in two words, whose maxima give the greatest and the smallest total of all ranks; zeros mean no total.
enum ChoiceWord : std::size_t { end, greatest_total, smallest_total, words };

/// The choices of all ranks for one table.
struct AllChoices {
  std::uint64_t rows;         ///< that were chosen
  std::uint64_t total;        ///< rows of the table
  bool is_contested = false;  ///< ranks state different totals
  bool is_exceeded = false;   ///< chosen rows are outside of the table

  AllChoices(std::uint64_t chosen, std::span<const std::uint64_t> compared)
      : rows(chosen), total(compared[ChoiceWord::end]) {
    if (compared[ChoiceWord::greatest_total] == 0) return;
    total = compared[ChoiceWord::greatest_total] - 1;
    is_contested = total != ~compared[ChoiceWord::smallest_total];
    is_exceeded = compared[ChoiceWord::end] > total;
  }

  [[nodiscard]] bool is_well() const noexcept { return !is_contested && !is_exceeded && rows <= total; }
};

/// Throws the error of this rank's choice, if the ranks contradict each other.
void check_choice(const RowChoice& mine, const AllChoices& all, const std::string& table) {
  const auto rows = [](std::uint64_t count) { return std::to_string(count) + (count == 1 ? " row" : " rows"); };
  if (all.is_contested) {
    if (!mine.total() || *mine.total() == all.total) return;
    throw Error(ErrorKind::conflict,
                "the table has " + rows(*mine.total()) + " here, " + rows(all.total) + " on another rank")
        .on(table)
        .advise("every rank that passes a total to rows_at() passes the same");
  }
  if (mine.end() > all.total) {
    throw Error(ErrorKind::usage,
                "row " + std::to_string(mine.end() - 1) + " is not inside the table's " + rows(all.total))
        .on(table);
  }
  if (all.rows > all.total) {
    throw Error(ErrorKind::usage, "the ranks have chosen " + rows(all.rows) + " of a table of " + rows(all.total))
        .on(table)
        .advise("every row is chosen by one rank at most");
  }
}

/// Throws errors for rows of a step in parts that cannot be written block by block.
void check_blocks(State& step, std::size_t table) {
  if (!step.builder.choices()[table]->order()) return;
  throw Error(ErrorKind::usage, "the rows that are chosen of a step in pieces must rise")
      .on(step.accepted.tables[table].name)
      .advise("sort rows and values, or put the columns instead of declaring them");
}

/// The tables with chosen rows.
std::vector<std::size_t> chosen_tables(const State& step) {
  std::vector<std::size_t> tables;
  for (std::size_t t = 0; t < step.part->chosen.size(); ++t) {
    if (step.part->chosen[t]) tables.push_back(t);
  }
  return tables;
}

/// Every rank places the whole tables, whatever rows it has chosen.
void complete_measure(State& step, const std::vector<std::size_t>& tables, const std::vector<AllChoices>& choices) {
  std::vector<WholeTable> whole;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    whole.push_back({tables[i], choices[i].total});
  }
  add_whole_tables(*step.writer->planner, *step.part, whole, step.total);
  step.accepted = step.part->description;
}

}  // namespace

void accept_chosen_rows(State& step) {
  for (const std::size_t t : chosen_tables(step)) {
    require_row_places(step.writer->capabilities().row_places, step.accepted, t);
    if (step.builder.is_streamed()) check_blocks(step, t);
  }
}

void propose_chosen_rows(State& step, Proposal& mine) {
  for (const std::size_t t : chosen_tables(step)) {
    const RowChoice& choice = *step.builder.choices()[t];
    mine.measure.push_back(choice.walk().elements());
    mine.compared.insert(mine.compared.end(), {choice.end(), choice.total() ? *choice.total() + 1 : 0,
                                               choice.total() ? ~*choice.total() : 0});
  }
}

std::size_t words_of_chosen_rows(const State& step) { return chosen_tables(step).size() * ChoiceWord::words; }

std::uint64_t rows_of_rank(const StepPart& part, const StepDescription& accepted, std::size_t table) {
  const SelectionWalk* chosen = part.rows_chosen_of(table);
  return chosen != nullptr ? chosen->elements() : accepted.tables[table].rows;
}

RowOrders orders_of(State& step) {
  RowOrders orders;
  for (const auto& choice : step.builder.choices()) orders.push_back(choice ? choice->order() : nullptr);
  return orders;
}

void agree_on_chosen_rows(State& step, Consensus& all) {
  const std::vector<std::size_t> tables = chosen_tables(step);
  const std::size_t slots = all.total.size() - tables.size();
  std::vector<AllChoices> choices;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    choices.emplace_back(all.total[slots + i],
                         std::span(all.greatest).subspan(i * ChoiceWord::words, ChoiceWord::words));
  }
  all.total.resize(slots);
  all.before.resize(slots);
  step.before = std::move(all.before);
  step.total = std::move(all.total);
  if (tables.empty()) return;
  const auto error = caught(step.writer->comm.rank(), [&] {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Table& table = step.accepted.tables[tables[i]];
      check_choice(*step.builder.choices()[tables[i]], choices[i], table.name);
      require_size(table, choices[i].total);
    }
    if (std::ranges::all_of(choices, &AllChoices::is_well)) complete_measure(step, tables, choices);
  });
  if (!std::ranges::all_of(choices, &AllChoices::is_well)) fail_together(step, error);
  // The others do not know of it yet: it is reported when all have written their bytes.
  if (!step.failure) step.failure = error;
}

}  // namespace quire
