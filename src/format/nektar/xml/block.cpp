#include "format/nektar/xml/block.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "format/nektar/basis.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

/// The largest expansion of zlib (its manual, "maximum expansion factor"), with some room.
constexpr std::uint64_t most_expansion = 1032;

constexpr std::array<std::string_view, 13> known{
    "FIELDS",          "SHAPE",          "BASIS", "HOMOGENEOUSLENGTHS", "HOMOGENEOUSYIDS", "HOMOGENEOUSZIDS",
    "HOMOGENEOUSSIDS", "NUMMODESPERDIR", "ID",    "COMPRESSED",         "BITSIZE",         "POINTSTYPE",
    "NUMPOINTSPERDIR"};

using Texts = std::map<std::string, std::string, std::less<>>;

Texts attributes_of(std::string_view tag) {
  if (tag.size() < 3 || tag.front() != '<') throw Error(ErrorKind::bad_file, "this is not a start tag");
  std::string element(tag);
  const std::string name = element.substr(1, element.find_first_of(" \t\r\n>") - 1);
  if (!element.ends_with("/>")) element += "</" + name + ">";
  pugi::xml_document document;
  const auto result =
      document.load_buffer_inplace(element.data(), element.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) throw Error(ErrorKind::bad_file, std::string("a tag is not well-formed XML: ") + result.description());
  Texts texts;
  for (const pugi::xml_attribute& attribute : document.document_element().attributes()) {
    if (!texts.emplace(attribute.name(), attribute.value()).second) {
      throw Error(ErrorKind::bad_file, "an attribute occurs twice").on(attribute.name());
    }
  }
  return texts;
}

/// Runs `parse` on the text of an attribute; errors are given its name.
template <class Parse>
auto parsed(const Texts& texts, const std::string& name, Parse&& parse) {
  const auto found = texts.find(name);
  if (found == texts.end()) throw Error(ErrorKind::bad_file, "an attribute is missing").on(name);
  try {
    return parse(found->second);
  } catch (Error& error) {
    throw error.object().empty() ? error.on(name) : error;
  }
}

/// The same for an attribute that may be missing: then the result is empty.
template <class Parse>
auto parsed_or_empty(const Texts& texts, const std::string& name, Parse&& parse) {
  return texts.contains(name) ? parsed(texts, name, parse) : decltype(parse(std::string())){};
}

ByteOrder order_of(const Texts& texts) {
  const auto found = texts.find("COMPRESSED");
  if (found == texts.end() || found->second == "B64Z-LittleEndian") return ByteOrder::little;
  if (found->second == "B64Z-BigEndian") return ByteOrder::big;
  throw Error(ErrorKind::bad_file, "the encoding \"" + found->second + "\" is unknown").on("COMPRESSED");
}

void set_modes(XmlBlock& block, OrderText order) {
  if (!order.is_mixed) {
    block.expansion.modes = std::move(order.modes);
    return;
  }
  const std::uint64_t wanted = checked_multiply(block.elements, block.expansion.basis.size());
  if (order.modes.size() != wanted) {
    throw Error(ErrorKind::bad_file, "there are " + std::to_string(order.modes.size()) + " numbers of modes for " +
                                         std::to_string(block.elements) + " elements")
        .on("NUMMODESPERDIR");
  }
  block.mixed_modes = std::move(order.modes);
}

}  // namespace

std::string attribute_of_tag(std::string_view tag, const std::string& name) {
  return parsed(attributes_of(tag), name, [](const std::string& text) { return text; });
}

XmlBlock parse_tag(std::string_view tag, std::uint64_t payload, std::vector<std::string>& warnings) {
  const Texts texts = attributes_of(tag);
  for (const auto& [name, text] : texts) {
    if (std::ranges::find(known, name) == known.end()) {
      warnings.push_back("the attribute " + name + " of a block is unknown and left out");
    }
  }
  XmlBlock block;
  Expansion& expansion = block.expansion;
  block.order = order_of(texts);
  block.variables = parsed(texts, "FIELDS", split_list);
  check_variables({block.variables.begin(), block.variables.end()});
  const ShapeText shape = parsed(texts, "SHAPE", parse_shape);
  set_shape(expansion, shape, parsed_or_empty(texts, "HOMOGENEOUSLENGTHS", parse_reals));
  expansion.basis = parsed(texts, "BASIS", split_list);
  for (const std::string& basis : expansion.basis) static_cast<void>(basis_number(basis));
  // A block has at least one value for each plane and each element: this limits every list before it is expanded.
  const std::uint64_t most_values =
      checked_add(checked_multiply(payload / 4 + 1, 3 * most_expansion) / sizeof(double), 1);
  const auto ids = [&](const std::string& text) { return RangeList::parse(text).numbers(most_values); };
  expansion.y_ids = parsed_or_empty(texts, "HOMOGENEOUSYIDS", ids);
  expansion.z_ids = parsed_or_empty(texts, "HOMOGENEOUSZIDS", ids);
  expansion.strip_ids = parsed_or_empty(texts, "HOMOGENEOUSSIDS", ids);
  block.ids = parsed(texts, "ID", RangeList::parse);
  block.elements = block.ids.count();
  set_modes(block, parsed(texts, "NUMMODESPERDIR", parse_order));
  const auto as_it_is = [](const std::string& text) { return text; };
  expansion.points = parsed_or_empty(texts, "POINTSTYPE", as_it_is);
  expansion.point_counts = parsed_or_empty(texts, "NUMPOINTSPERDIR", as_it_is);
  check_expansion(expansion);
  if (expansion.is_mixed()) {
    block.coefficients = mixed_coefficients(expansion, block.mixed_modes);
  } else {
    count_uniform(block);
  }
  if (checked_multiply(block.coefficients, block.variables.size()) > most_values) {
    throw Error(ErrorKind::bad_file, "a block of " + std::to_string(payload) + " characters cannot hold the " +
                                         std::to_string(block.coefficients) + " coefficients of a variable");
  }
  return block;
}

}  // namespace quire::nektar
