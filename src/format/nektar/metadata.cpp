#include "format/nektar/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "format/nektar/xml_rules.hpp"
#include "format/nektar/xml_scanner.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::string_view provenance_element = provenance_prefix.substr(0, provenance_prefix.size() - 1);

/// The position after the markup at `position`: a tag, a comment or the like. The parser has checked that it is
/// well-formed.
std::size_t end_of_markup(std::string_view text, std::size_t position) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> asides{
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
  for (const auto& [begin, end] : asides) {
    if (!text.substr(position).starts_with(begin)) continue;
    const std::size_t found = text.find(end, position + begin.size());
    return found == std::string_view::npos ? text.size() : found + end.size();
  }
  char quote = 0;
  for (std::size_t i = position; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return text.size();
}

/// Whether a text between tags is indentation: white space with a line end.
bool is_indentation(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos &&
         text.find_first_of("\r\n") != std::string_view::npos;
}

/// The source text between the tags of the element whose start tag is at `position`, without indentation. A parser
/// would replace line ends in values of attributes by blanks, and carriage returns by line ends.
std::string inner_text(std::string_view text, std::size_t position) {
  std::string inner;
  std::size_t end = end_of_markup(text, position);
  for (std::size_t depth = 1; end < text.size();) {
    const std::size_t markup = std::min(text.find('<', end), text.size());
    const std::string_view between = text.substr(end, markup - end);
    if (!is_indentation(between)) inner += between;
    end = end_of_markup(text, markup);
    const std::string_view whole = text.substr(markup, end - markup);
    if (whole.starts_with("</")) {
      if (--depth == 0) break;
    } else if (!whole.starts_with("<!") && !whole.starts_with("<?") && !whole.ends_with("/>")) {
      ++depth;
    }
    inner += whole;
  }
  return inner;
}

/// The text of an element, which comments and CDATA sections may split.
std::string whole_text(const pugi::xml_node& element) {
  std::string text;
  for (const pugi::xml_node& node : element.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) text += node.value();
  }
  return text;
}

class Collector {
 public:
  /// `text` is the source text of the elements.
  Collector(std::string_view text, std::vector<Attribute>& attributes, std::vector<std::string>& warnings)
      : text_(text), attributes_(attributes), warnings_(warnings) {}

  void add(std::string name, std::string text) {
    if (names_.contains(attributes_, name)) {
      return warnings_.push_back("the metadata contain " + name + " twice: the first value is used");
    }
    attributes_.push_back(text_attribute(std::move(name), std::move(text)));
  }

  void add_all(const pugi::xml_node& element) {
    for (const pugi::xml_node& node : element.children()) {
      if (node.type() != pugi::node_element) continue;
      const std::string name = node.name();
      if (name == provenance_element) {
        for (const pugi::xml_node& value : node.children()) {
          if (value.type() == pugi::node_element) add(std::string(provenance_prefix) + value.name(), whole_text(value));
        }
      } else if (std::string(element.name()) == "FIELDMETADATA" && name == "P") {
        add(node.attribute("PARAM").value(), whole_text(node));
      } else if (node.find_child([](const pugi::xml_node& n) { return n.type() == pugi::node_element; })) {
        // The parser gives the position of the name.
        add(std::string(fragment_prefix) + name, inner_text(text_, static_cast<std::size_t>(node.offset_debug()) - 1));
      } else {
        add(name, whole_text(node));
      }
    }
  }

 private:
  std::string_view text_;
  std::vector<Attribute>& attributes_;
  NameIndex names_;
  std::vector<std::string>& warnings_;
};

std::string element_text(std::string_view name, std::string_view content, std::string_view indent) {
  std::string text(indent);
  if (content.empty()) return text.append("<").append(name).append(" />\n");
  return text.append("<").append(name).append(">").append(content).append("</").append(name).append(">\n");
}

/// A text escaped for use between tags so that readers return it unchanged: they replace carriage returns by line ends,
/// and drop text that is only white space.
std::string element_content(std::string_view text) {
  std::string result;
  const bool is_white = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (is_white && !text.empty()) {
    result = "&#" + std::to_string(static_cast<int>(text.front())) + ";";
    text.remove_prefix(1);
  }
  for (const char c : escaped(text)) {
    if (c == '\r') {
      result += "&#13;";
    } else {
      result += c;
    }
  }
  return result;
}

/// The name of the element of an attribute outside the provenance.
std::string_view element_of(std::string_view name) {
  return name.starts_with(fragment_prefix) ? name.substr(fragment_prefix.size()) : name;
}

/// A number of a step: decimal digits, with optional white space around them and an optional fraction of zeros.
std::optional<std::int64_t> whole_number(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(white), text.size());
  text = text.substr(first, text.find_last_not_of(white) + 1 - first);
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view fraction = text.substr(digits);
  if (!fraction.empty() && (fraction.front() != '.' || fraction.find_first_not_of('0', 1) != std::string_view::npos)) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + digits, number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Why metadata cannot store an attribute, regardless of the others.
std::optional<Error> objection_to(const Attribute& attribute) {
  const std::string_view name = attribute.name;
  const bool is_provenance = name.starts_with(provenance_prefix);
  const std::string_view element = is_provenance ? name.substr(provenance_prefix.size()) : element_of(name);
  const auto objection = [&](ErrorKind kind, const std::string& what) { return Error(kind, what).on(attribute.name); };
  if (!is_element_name(element) || (!is_provenance && element == provenance_element)) {
    return objection(ErrorKind::unsupported, "an attribute of this name cannot be stored: attributes are XML elements")
        .advise(element == provenance_element ? "attributes of the provenance are called Provenance/NAME"
                                              : "use letters, digits and underscores");
  }
  const std::string text = attribute.value.as_text();
  if (const auto what = what_xml_cannot_hold(text)) {
    return objection(ErrorKind::unsupported, "the value contains what XML cannot store: " + *what)
        .advise("encode it, for example in hexadecimal digits");
  }
  if (is_provenance || !name.starts_with(fragment_prefix)) return std::nullopt;
  // The fragment is inside its own element, which is inside that of the metadata.
  const auto what = what_breaks_fragment(text, deepest_elements - 2);
  if (!what) return std::nullopt;
  return objection(ErrorKind::usage, "the value is not a well-formed XML fragment: " + *what)
      .advise("to store it as text, use the attribute " + std::string(element));
}

}  // namespace

Attribute text_attribute(std::string name, std::string text) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.value = Value(std::move(text));
  attribute.type = attribute.value.type();
  return attribute;
}

void add_metadata(std::string_view element, std::vector<Attribute>& attributes, std::vector<std::string>& warnings) {
  pugi::xml_document document;
  const auto result = document.load_buffer(element.data(), element.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    throw Error(ErrorKind::bad_file, std::string("the metadata are not well-formed XML: ") + result.description())
        .at(static_cast<std::uint64_t>(result.offset));
  }
  Collector(element, attributes, warnings).add_all(document.document_element());
}

void restore_version(std::vector<Attribute>& attributes) {
  const auto former = std::ranges::find(attributes, former_version_name, &Attribute::name);
  const auto version = std::ranges::find(attributes, version_name, &Attribute::name);
  if (former == attributes.end() || version == attributes.end()) return;
  version->value = former->value;
  version->type = former->type;
  attributes.erase(former);
}

std::int64_t number_of(const std::vector<Attribute>& attributes) {
  const auto found = std::ranges::find(attributes, number_key, &Attribute::name);
  if (found == attributes.end() || found->value.count() != 1) return 0;
  return whole_number(found->value.as_text()).value_or(0);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::vector<Error> objections_to(const std::vector<Attribute>& attributes) {
  std::vector<Error> objections;
  std::map<std::string_view, const Attribute*> elements;
  for (const Attribute& attribute : attributes) {
    if (auto error = objection_to(attribute)) {
      objections.push_back(*std::move(error));
      continue;
    }
    if (attribute.name.starts_with(provenance_prefix)) continue;
    const auto [same, is_new] = elements.emplace(element_of(attribute.name), &attribute);
    if (is_new) continue;
    objections.push_back(Error(ErrorKind::unsupported, "it would be the same XML element as " + same->second->name)
                             .on(attribute.name)
                             .advise("give one of them another name"));
  }
  return objections;
}

std::string metadata_text(const std::vector<Attribute>& attributes) {
  std::map<std::string, std::string, std::less<>> provenance;
  std::map<std::string, std::string, std::less<>> keys;
  for (const Attribute& attribute : attributes) {
    const std::string text = attribute.value.as_text();
    const std::string_view name = attribute.name;
    if (name.starts_with(provenance_prefix)) {
      provenance[std::string(name.substr(provenance_prefix.size()))] = element_content(text);
    } else if (name.starts_with(fragment_prefix)) {
      keys[std::string(name.substr(fragment_prefix.size()))] = text;
    } else {
      keys[attribute.name] = element_content(text);
    }
  }
  std::string text = "    <Metadata>\n        <Provenance>\n";
  for (const auto& [name, content] : provenance) text += element_text(name, content, "            ");
  text += "        </Provenance>\n";
  for (const auto& [name, content] : keys) text += element_text(name, content, "        ");
  return text + "    </Metadata>\n";
}

}  // namespace quire::nektar
