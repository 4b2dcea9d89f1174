#include "format/nektar/xml/weighing.hpp"

#include <algorithm>
#include <utility>

#include "format/nektar/range_list.hpp"
#include "format/nektar/values.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

void append(std::vector<std::byte>& text, std::string_view more) {
  const auto bytes = std::as_bytes(std::span(more));
  text.insert(text.end(), bytes.begin(), bytes.end());
}

/// Where the elements of a rank are split into blocks; for mixed ones the orders of all must be known.
std::vector<Cut> cuts_of(const Expansion& expansion, std::size_t variables, std::uint64_t elements,
                         const ElementNumbers& numbers, std::uint64_t largest) {
  Cutter cutter(variables, largest);
  std::vector<std::uint64_t> modes = expansion.modes;
  if (expansion.is_mixed()) modes.resize(expansion.basis.size());
  std::uint64_t coefficients = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    for (std::size_t d = 0; expansion.is_mixed() && d < modes.size(); ++d) modes[d] = numbers[d + 1][i];
    if (i == 0 || expansion.is_mixed()) coefficients = element_coefficients(expansion, modes);
    cutter.add(coefficients);
  }
  return cutter.finish();
}

void require_no_repetition(std::vector<std::uint32_t> ids, const std::string& table) {
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice == ids.end()) return;
  throw Error(ErrorKind::usage, "element " + std::to_string(*twice) + " is put twice").on(table);
}

/// Creates the text of a block when it is written, and holds its memory only until then.
class PayloadEncoder final : public Encoder {
 public:
  PayloadEncoder(BlockValues values, std::vector<std::string> names, bool lossy, std::uint64_t length)
      : values_(std::move(values)), names_(std::move(names)), lossy_(lossy), length_(length) {}

  std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    if (text_.empty()) make();
    const std::size_t count = std::min(out.size(), text_.size() - static_cast<std::size_t>(position));
    std::ranges::copy(std::span(text_).subspan(static_cast<std::size_t>(position), count), out.begin());
    if (position + count == length_) text_ = std::vector<std::byte>();
    return count;
  }

 private:
  void make() {
    text_.reserve(static_cast<std::size_t>(length_));
    values_.print(names_, lossy_, [&](std::string_view text) {
      if (text_.size() + text.size() > length_) throw changed();
      append(text_, text);
    });
    if (text_.size() != length_) throw changed();
    values_ = {};
  }

  [[nodiscard]] Error changed() const {
    return Error(ErrorKind::usage, "the rows differ from those that were weighed").on(names_.front());
  }

  BlockValues values_;
  std::vector<std::string> names_;
  bool lossy_;
  std::uint64_t length_;
  std::vector<std::byte> text_;
};

}  // namespace

// ---- XmlWeighing

XmlWeighing::XmlWeighing(const StepDescription& step, const TextLimits& limits) : limits_(limits) {
  for (const BlockPair& pair : blocks_of(step)) {
    Tables& tables = tables_.emplace_back();
    tables.pair = pair;
    tables.variables = names_of(step.tables[pair.values]);
    tables.number_names = names_of(step.tables[pair.elements]);
    tables.numbers.resize(tables.number_names.size());
    tables.elements = step.tables[pair.elements].rows;
    const Expansion& expansion = *step.tables[pair.values].expansion;
    if (!expansion.is_mixed() || tables.elements == 0) {
      tables.values.emplace(cuts_of(expansion, tables.variables.size(), tables.elements, {}, limits_.largest_block),
                            tables.variables);
    }
  }
}

void XmlWeighing::add(const StepPart& part, bool lossy) {
  for (Tables& tables : tables_) add_elements(tables, part);
  for (Tables& tables : tables_) add_values(tables, part.tables[tables.pair.values], lossy);
}

void XmlWeighing::add_elements(Tables& tables, const StepPart& part) {
  const std::vector<ConstView>& columns = part.tables[tables.pair.elements];
  if (columns.empty() || columns.front().count == 0) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto& numbers = tables.numbers[c];
    const std::size_t before = numbers.size();
    numbers.resize(before + static_cast<std::size_t>(columns[c].count));
    copy_numbers(columns[c], std::span(numbers).subspan(before), before, tables.number_names[c], false);
  }
  tables.has_ids = tables.has_ids && columns.front().data != nullptr;
  if (tables.numbers.front().size() == tables.elements) complete_elements(tables, part.description);
}

void XmlWeighing::complete_elements(Tables& tables, const StepDescription& step) const {
  const Table& table = step.tables[tables.pair.values];
  if (tables.has_ids) require_no_repetition(tables.numbers.front(), table.name);
  if (tables.values) return;
  tables.values.emplace(
      cuts_of(*table.expansion, tables.variables.size(), tables.elements, tables.numbers, limits_.largest_block),
      tables.variables);
}

void XmlWeighing::add_values(Tables& tables, std::span<const ConstView> columns, bool lossy) {
  if (!tables.values && columns.empty()) return;
  if (!tables.values) return tables.waiting.append(columns, tables.variables, lossy);
  const auto take = [&](std::span<const ConstView> rows) {
    tables.values->take(
        rows, lossy, [](std::size_t) { return true; },
        [&](std::size_t, const BlockValues& values) {
          tables.payloads.push_back(payload_of(values, tables.variables, lossy));
        });
  };
  const BlockValues waited = std::exchange(tables.waiting, {});
  take(waited.columns());
  take(columns);
}

Payload XmlWeighing::payload_of(const BlockValues& values, std::span<const std::string> names, bool lossy) {
  Payload payload;
  auto text = kept_ < limits_.kept ? std::make_shared<std::vector<std::byte>>() : nullptr;
  values.print(names, lossy, [&](std::string_view more) {
    payload.length = checked_add(payload.length, more.size());
    if (kept_ + payload.length > limits_.kept) text.reset();
    if (text) append(*text, more);
  });
  if (!text) return payload;
  text->shrink_to_fit();
  kept_ += payload.length;
  payload.text = std::move(text);
  return payload;
}

void XmlWeighing::require_all(const StepDescription& step) const {
  for (const Tables& tables : tables_) {
    const Table& table = step.tables[tables.pair.values];
    const std::uint64_t elements = tables.numbers.front().size();
    if (elements != tables.elements) {
      throw Error(ErrorKind::usage,
                  std::to_string(elements) + " elements were weighed, not " + std::to_string(tables.elements))
          .on(table.name);
    }
    const std::uint64_t wanted = tables.values->cuts().empty() ? 0 : tables.values->cuts().back().end();
    if (tables.values->rows() == wanted) continue;
    throw Error(ErrorKind::usage, std::to_string(elements) + " elements have " + std::to_string(wanted) +
                                      " coefficients, not " + std::to_string(tables.values->rows()))
        .on(table.name);
  }
}

void XmlWeighing::print(const StepDescription& step, const TakeText& text, const TakePayload& payload) const {
  for (const Tables& tables : tables_) {
    const std::vector<Cut>& cuts = tables.values->cuts();
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      text(start_tag(step.tables[tables.pair.values], tables.numbers, cuts[i]));
      payload(tables.payloads[i], tables.pair.values, i);
      text(end_tag());
    }
  }
}

std::string XmlWeighing::ids_text() const {
  std::vector<std::uint32_t> ids;
  for (const Tables& tables : tables_) {
    ids.insert(ids.end(), tables.numbers.front().begin(), tables.numbers.front().end());
  }
  return range_text(ids);
}

BlockGatherer XmlWeighing::new_gatherer(std::size_t table) const {
  const auto found = std::ranges::find_if(tables_, [&](const Tables& one) { return one.pair.values == table; });
  return {found->values->cuts(), found->variables};
}

// ---- XmlRows

void XmlRows::expect(const XmlWeighing& weighing, std::size_t table, std::size_t block, const Extent& place) {
  auto found = tables_.find(table);
  if (found == tables_.end()) found = tables_.emplace(table, Rows{weighing.new_gatherer(table), {}}).first;
  found->second.places.emplace(block, place);
}

void XmlRows::add(WritePlan& plan, std::size_t table, std::span<const ConstView> columns, bool lossy) {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  Rows& rows = found->second;
  rows.gatherer.take(
      columns, lossy, [&](std::size_t block) { return rows.places.contains(block); },
      [&](std::size_t block, BlockValues values) {
        const Extent& place = rows.places.at(block);
        plan.add(place.offset, place.length,
                 std::make_shared<PayloadEncoder>(std::move(values), rows.gatherer.names(), lossy, place.length));
      });
}

}  // namespace quire::nektar
