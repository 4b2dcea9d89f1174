#include "format/nektar/xml/text.hpp"

#include <span>

#include "format/nektar/block.hpp"
#include "format/nektar/metadata.hpp"
#include "format/text/digits.hpp"

namespace quire::nektar {
namespace {

std::string order_text(const Expansion& expansion, const ElementNumbers& numbers, const Cut& cut) {
  if (!expansion.is_mixed()) return "UNIORDER:" + join_list(expansion.modes);
  std::vector<std::uint64_t> modes;
  for (std::size_t i = cut.first; i < cut.first + cut.count; ++i) {
    for (std::size_t d = 1; d < numbers.size(); ++d) modes.push_back(numbers[d][i]);
  }
  return "MIXORDER:" + join_list(modes);
}

}  // namespace

std::string opening_text(const std::vector<Attribute>& metadata) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<NEKTAR>\n" + metadata_text(metadata);
}

std::string closing_text() { return "</NEKTAR>\n"; }

std::string start_tag(const Table& table, const ElementNumbers& numbers, const Cut& cut) {
  const Expansion& expansion = *table.expansion;
  std::string text = "    <ELEMENTS";
  const auto attribute = [&](const char* name, const std::string& value) {
    text += std::string(" ") + name + "=\"" + escaped(value) + "\"";
  };
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  attribute("FIELDS", join_list(names));
  attribute("SHAPE", shape_text(expansion));
  attribute("BASIS", join_list(expansion.basis));
  if (!expansion.lengths.empty()) {
    std::vector<std::string> lengths;
    for (const double length : expansion.lengths) lengths.push_back(text::significant(length, 17));
    attribute("HOMOGENEOUSLENGTHS", join_list(lengths));
  }
  if (!expansion.y_ids.empty()) attribute("HOMOGENEOUSYIDS", join_list(expansion.y_ids));
  if (!expansion.z_ids.empty()) attribute("HOMOGENEOUSZIDS", join_list(expansion.z_ids));
  if (!expansion.strip_ids.empty()) attribute("HOMOGENEOUSSIDS", join_list(expansion.strip_ids));
  attribute("NUMMODESPERDIR", order_text(expansion, numbers, cut));
  attribute("ID", range_text(std::span(numbers.front()).subspan(cut.first, cut.count)));
  attribute("COMPRESSED", "B64Z-LittleEndian");
  attribute("BITSIZE", "64");
  return text + '>';
}

std::string_view end_tag() { return "</ELEMENTS>\n"; }

}  // namespace quire::nektar
