#include "format/openpmd/defaults.hpp"

#include <algorithm>
#include <array>

#include "format/hdf5/library/words.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/records.hpp"
#include "format/openpmd/units.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::string_view unit_of_times = "timeUnitSI";
constexpr std::array<std::string_view, 2> times{"time", "dt"};

template <class Attributes>
auto find(Attributes& attributes, std::string_view name) {
  return std::ranges::find(attributes, name, &Attribute::name);
}

bool is_listed(const std::vector<std::string>& defaults, std::string_view name) {
  return std::ranges::find(defaults, name) != defaults.end();
}

/// The unit of a time, if the attribute exists and has one.
std::optional<SiUnit> time_unit(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = find(attributes, name);
  const auto unit = found == attributes.end() ? std::nullopt : si_unit_of(found->unit);
  return unit && unit->dimension == second.dimension ? unit : std::nullopt;
}

/// The unit of all times: that which is stated, or that of the first time with a unit.
SiUnit common_unit(const std::vector<Attribute>& attributes) {
  SiUnit unit = second;
  const std::vector<double> factor = numbers_of(attributes, unit_of_times);
  if (factor.size() == 1) {
    unit.factor = factor.front();
    return unit;
  }
  return time_unit(attributes, times[0]).value_or(time_unit(attributes, times[1]).value_or(second));
}

}  // namespace

std::string default_of_species(std::string_view species) { return "particles/" + std::string(species); }

void check_units_of_times(const std::vector<Attribute>& attributes) {
  const auto time = time_unit(attributes, times[0]);
  const auto step = time_unit(attributes, times[1]);
  if (!time || !step || *time == *step) return;
  throw Error(ErrorKind::conflict, "its unit differs from that of the time, and an iteration has one unit of times")
      .on(std::string(times[1]))
      .advise("state both in " + text_of(*time));
}

std::vector<std::string> complete_times(std::vector<Attribute>& attributes) {
  std::vector<std::string> added;
  const SiUnit unit = common_unit(attributes);
  for (const std::string_view name : times) {
    const auto found = find(attributes, name);
    if (found == attributes.end()) {
      attributes.push_back(attribute_of(std::string(name), name == times[0] ? 0.0 : 1.0));
      added.emplace_back(name);
    } else if (found->unit.empty()) {
      added.push_back(unit_name(name));
    } else if (found->unit == text_of(unit)) {
      found->unit.clear();
    }
  }
  if (find(attributes, unit_of_times) == attributes.end()) {
    attributes.push_back(attribute_of(std::string(unit_of_times), unit.factor));
    added.emplace_back(unit_of_times);
  }
  return added;
}

void restore_times(std::vector<Attribute>& attributes, const std::vector<std::string>& defaults) {
  const std::string unit = text_of(common_unit(attributes));
  for (Attribute& attribute : attributes) {
    const bool is_time = std::ranges::find(times, attribute.name) != times.end();
    if (is_time && attribute.unit.empty() && !is_listed(defaults, unit_name(attribute.name))) attribute.unit = unit;
  }
  std::vector<Attribute> added = attributes;
  std::erase_if(added, [&](const Attribute& attribute) { return is_listed(defaults, attribute.name); });
  for (const std::string& name : complete_times(added)) {
    const auto preset = find(added, name);
    if (is_listed(defaults, name) && preset != added.end()) drop_preset(attributes, *preset);
  }
}

std::vector<std::string> take_defaults(std::vector<Attribute>& attributes) {
  std::vector<std::string> defaults = texts_of(attributes, defaults_name);
  std::erase_if(attributes, [](const Attribute& attribute) { return attribute.name == defaults_name; });
  return defaults;
}

}  // namespace quire::hdf5
