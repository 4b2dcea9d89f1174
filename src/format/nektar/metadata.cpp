#include "format/nektar/metadata.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

/// What stands inside an element with elements of its own, as it is written.
std::string inner_text(const pugi::xml_node& node) {
  std::ostringstream text;
  for (const pugi::xml_node& child : node.children()) child.print(text, "", pugi::format_raw);
  return text.str();
}

class Collector {
 public:
  Collector(std::vector<Attribute>& attributes, std::vector<std::string>& warnings)
      : attributes_(attributes), warnings_(warnings) {}

  void add(std::string name, std::string text) {
    if (std::ranges::find(attributes_, name, &Attribute::name) != attributes_.end()) {
      return warnings_.push_back("the metadata hold " + name + " twice: the first one counts");
    }
    attributes_.push_back(text_attribute(std::move(name), std::move(text)));
  }

  void add_all(const pugi::xml_node& element) {
    for (const pugi::xml_node& node : element.children()) {
      if (node.type() != pugi::node_element) continue;
      const std::string name = node.name();
      if (name == "Provenance") {
        for (const pugi::xml_node& value : node.children()) {
          if (value.type() == pugi::node_element)
            add(std::string(provenance_prefix) + value.name(), value.text().get());
        }
      } else if (std::string(element.name()) == "FIELDMETADATA" && name == "P") {
        add(node.attribute("PARAM").value(), node.text().get());
      } else if (node.find_child([](const pugi::xml_node& n) { return n.type() == pugi::node_element; })) {
        add(std::string(fragment_prefix) + name, inner_text(node));
      } else {
        add(name, node.text().get());
      }
    }
  }

 private:
  std::vector<Attribute>& attributes_;
  std::vector<std::string>& warnings_;
};

bool is_element_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 128;
  };
  const auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, may_follow);
}

std::string element_text(std::string_view name, std::string_view content, std::string_view indent) {
  if (!is_element_name(name)) {
    throw Error(ErrorKind::unsupported, "an attribute of this name cannot be kept: it is an element of XML")
        .on(std::string(name))
        .advise("use letters, digits and underscores");
  }
  std::string text(indent);
  if (content.empty()) return text.append("<").append(name).append(" />\n");
  return text.append("<").append(name).append(">").append(content).append("</").append(name).append(">\n");
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
    throw Error(ErrorKind::bad_file, std::string("the metadata are no XML: ") + result.description())
        .at(static_cast<std::uint64_t>(result.offset));
  }
  Collector(attributes, warnings).add_all(document.document_element());
}

std::int64_t number_of(const std::vector<Attribute>& attributes) {
  const auto found = std::ranges::find(attributes, number_key, &Attribute::name);
  if (found == attributes.end() || found->value.count() != 1) return 0;
  const std::string text = found->value.as_text();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? number : 0;
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

std::string metadata_text(const std::vector<Attribute>& attributes) {
  std::map<std::string, std::string, std::less<>> provenance;
  std::map<std::string, std::string, std::less<>> keys;
  for (const Attribute& attribute : attributes) {
    const std::string text = attribute.value.as_text();
    const std::string_view name = attribute.name;
    if (name.starts_with(provenance_prefix)) {
      provenance[std::string(name.substr(provenance_prefix.size()))] = escaped(text);
    } else if (name.starts_with(fragment_prefix)) {
      keys[std::string(name.substr(fragment_prefix.size()))] = text;
    } else {
      keys[attribute.name] = escaped(text);
    }
  }
  std::string text = "    <Metadata>\n        <Provenance>\n";
  for (const auto& [name, content] : provenance) text += element_text(name, content, "            ");
  text += "        </Provenance>\n";
  for (const auto& [name, content] : keys) text += element_text(name, content, "        ");
  return text + "    </Metadata>\n";
}

}  // namespace quire::nektar
