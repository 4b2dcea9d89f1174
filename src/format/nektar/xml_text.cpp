#include "format/nektar/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "format/nektar/block.hpp"
#include "format/nektar/metadata.hpp"
#include "format/nektar/payload.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/kernels/convert.hpp"

namespace quire::nektar {
namespace {

template <class Number>
void append(std::vector<Number>& numbers, Type type, const ConstView& view, const std::string& name, bool lossy) {
  const std::size_t before = numbers.size();
  numbers.resize(before + static_cast<std::size_t>(view.count));
  // In a plan without data they are zeros.
  if (view.count == 0 || view.data == nullptr) return;
  if (view.type == Type::string) throw Error(ErrorKind::type, "the values are texts, not numbers").on(name);
  const auto lost = kernels::convert(
      view.type, view.data, view.stride, type, reinterpret_cast<std::byte*>(numbers.data() + before), sizeof(Number),
      static_cast<std::size_t>(view.count), lossy ? kernels::Loss::allowed : kernels::Loss::refused);
  if (!lost) return;
  throw Error(ErrorKind::type, "the value of row " + std::to_string(before + *lost) + " does not fit").on(name);
}

/// One block of a rank: what is said of it, and its values.
class BlockText {
 public:
  BlockText(const StepDescription& step, const BlockPair& block, const CollectedValues& values)
      : table_(step.tables[block.values]),
        expansion_(*table_.expansion),
        reals_(values.reals[block.values]),
        numbers_(values.numbers[block.elements]),
        elements_(numbers_.front().size()) {
    const std::size_t width = expansion_.is_mixed() ? expansion_.basis.size() : 0;
    std::vector<std::uint64_t> modes = expansion_.modes;
    counts_.reserve(elements_);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < elements_; ++i) {
      if (width > 0) modes.resize(width);
      for (std::size_t d = 0; d < width; ++d) modes[d] = numbers_[d + 1][i];
      counts_.push_back(element_coefficients(expansion_, modes));
      all = checked_add(all, counts_.back());
    }
    for (const auto& column : reals_) {
      if (column.size() == all) continue;
      throw Error(ErrorKind::usage, std::to_string(elements_) + " elements have " + std::to_string(all) +
                                        " coefficients, not " + std::to_string(column.size()))
          .on(table_.name);
    }
  }

  [[nodiscard]] std::string text(std::uint64_t largest) const {
    std::string text;
    for (const Cut& cut : cuts_of(counts_, reals_.size(), largest)) add(text, cut);
    return text;
  }

 private:
  void add(std::string& text, const Cut& cut) const {
    const auto attribute = [&](const char* name, const std::string& value) {
      text += fmt::format(" {}=\"{}\"", name, escaped(value));
    };
    text += "    <ELEMENTS";
    std::vector<std::string> names;
    for (const Column& column : table_.columns) names.push_back(column.name);
    attribute("FIELDS", join_list(names));
    attribute("SHAPE", shape_text(expansion_));
    attribute("BASIS", join_list(expansion_.basis));
    if (!expansion_.lengths.empty()) {
      std::vector<std::string> lengths;
      for (const double length : expansion_.lengths) lengths.push_back(fmt::format("{:.17g}", length));
      attribute("HOMOGENEOUSLENGTHS", join_list(lengths));
    }
    if (!expansion_.y_ids.empty()) attribute("HOMOGENEOUSYIDS", join_list(expansion_.y_ids));
    if (!expansion_.z_ids.empty()) attribute("HOMOGENEOUSZIDS", join_list(expansion_.z_ids));
    if (!expansion_.strip_ids.empty()) attribute("HOMOGENEOUSSIDS", join_list(expansion_.strip_ids));
    attribute("NUMMODESPERDIR", order(cut));
    attribute("ID", range_text(std::span(numbers_.front()).subspan(cut.first, cut.count)));
    attribute("COMPRESSED", "B64Z-LittleEndian");
    attribute("BITSIZE", "64");
    text += '>';
    PayloadWriter payload([&](std::string_view characters) { text += characters; });
    for (const auto& column : reals_) {
      payload.add(
          std::span(column).subspan(static_cast<std::size_t>(cut.offset), static_cast<std::size_t>(cut.coefficients)));
    }
    payload.finish();
    text += "</ELEMENTS>\n";
  }

  [[nodiscard]] std::string order(const Cut& cut) const {
    if (!expansion_.is_mixed()) return "UNIORDER:" + join_list(expansion_.modes);
    std::vector<std::uint64_t> modes;
    for (std::size_t i = cut.first; i < cut.first + cut.count; ++i) {
      for (std::size_t d = 1; d < numbers_.size(); ++d) modes.push_back(numbers_[d][i]);
    }
    return "MIXORDER:" + join_list(modes);
  }

  const Table& table_;
  const Expansion& expansion_;
  const std::vector<std::vector<double>>& reals_;
  const std::vector<std::vector<std::uint32_t>>& numbers_;
  std::size_t elements_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace

std::vector<Cut> cuts_of(std::span<const std::uint64_t> counts, std::size_t variables, std::uint64_t largest) {
  constexpr std::uint64_t most = 0xFFFFFFFF;
  const std::uint64_t bytes = sizeof(double) * variables;
  std::vector<Cut> cuts;
  Cut cut;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (checked_multiply(counts[i], bytes) > most) {
      throw Error(ErrorKind::unsupported, "an element takes 4 GiB or more, which a block in XML does not hold")
          .advise("write another layout");
    }
    if (cut.count > 0 && checked_multiply(checked_add(cut.coefficients, counts[i]), bytes) > largest) {
      cuts.push_back(cut);
      cut = {i, 0, cut.offset + cut.coefficients, 0};
    }
    ++cut.count;
    cut.coefficients += counts[i];
  }
  if (cut.count > 0) cuts.push_back(cut);
  return cuts;
}

void CollectedValues::add(const StepDescription& step, const std::vector<std::vector<ConstView>>& tables, bool lossy) {
  reals.resize(step.tables.size());
  numbers.resize(step.tables.size());
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const Table& table = step.tables[t];
    (table.expansion ? reals[t].resize(table.columns.size()) : numbers[t].resize(table.columns.size()));
    for (std::size_t c = 0; c < tables[t].size(); ++c) {
      const std::string& name = table.columns[c].name;
      if (table.expansion) {
        append(reals[t][c], Type::float64, tables[t][c], name, lossy);
      } else {
        append(numbers[t][c], Type::uint32, tables[t][c], name, false);
      }
    }
  }
}

std::string opening_text(const StepDescription& step) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<NEKTAR>\n" + metadata_text(step.attributes);
}

std::string closing_text() { return "</NEKTAR>\n"; }

std::string blocks_text(const StepDescription& step, const CollectedValues& values, std::uint64_t largest) {
  std::string text;
  for (const BlockPair& block : blocks_of(step)) text += BlockText(step, block, values).text(largest);
  return text;
}

std::string ids_text(const StepDescription& step, const CollectedValues& values) {
  std::vector<std::uint32_t> ids;
  for (const BlockPair& block : blocks_of(step)) {
    const auto& own = values.numbers[block.elements].front();
    ids.insert(ids.end(), own.begin(), own.end());
  }
  return range_text(ids);
}

}  // namespace quire::nektar
