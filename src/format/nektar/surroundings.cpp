// The time and the place of writing, for the metadata.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <utility>

#include "format/nektar/acceptance.hpp"
#include "format/nektar/metadata.hpp"
#include "format/nektar/xml_rules.hpp"

namespace quire::nektar {
namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%d-%b-%Y %H:%M:%S", &parts);
  return {text.data(), length};
}

/// The name of the machine; empty if there is none that a file can store.
std::string machine() {
  std::array<char, 256> name{};
  // A truncated name may lack its null terminator.
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  const std::string text(name.data());
  return what_xml_cannot_hold(text) ? std::string() : text;
}

}  // namespace

std::vector<Attribute> with_surroundings(std::vector<Attribute> metadata, const Rules& rules) {
  const auto add = [&](std::string_view name, const auto& ask) {
    if (std::ranges::find(metadata, name, &Attribute::name) != metadata.end()) return;
    std::string text = ask();
    if (!text.empty()) metadata.push_back(text_attribute(std::string(name), std::move(text)));
  };
  if (rules.asks_clock()) add(timestamp_name, now);
  if (rules.asks_machine()) add(hostname_name, machine);
  return metadata;
}

}  // namespace quire::nektar
