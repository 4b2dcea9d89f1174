#include "quire/format/options.hpp"

#include <algorithm>
#include <charconv>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire {
namespace {

bool is_truth(std::string_view text) { return text == "true" || text == "false"; }

bool is_integer_text(std::string_view text) {
  long long number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

void check_value(const Option& option, const std::string& value) {
  const auto refuse = [&](const std::string& wanted) {
    throw Error(ErrorKind::usage, "option " + std::string(option.name) + " cannot be \"" + value + "\"")
        .advise("give " + wanted);
  };
  if (option.kind == OptionKind::truth && !is_truth(value)) refuse("true or false");
  if (option.kind == OptionKind::integer && !is_integer_text(value)) refuse("an integer");
  if (!option.choices.empty() && std::ranges::find(option.choices, value) == option.choices.end()) {
    std::string list;
    for (const auto choice : option.choices) list += (list.empty() ? "" : " or ") + std::string(choice);
    refuse(option.choices.size() == 1 ? list + ": " + std::string(option.help) : list);
  }
}

}  // namespace

CheckedOptions::CheckedOptions(const std::vector<Option>& table, const Options& given) : given_(given) {
  presets_.reserve(table.size());
  for (const Option& option : table) presets_.push_back({option.name, option.preset});
  for (const auto& [name, value] : given) {
    const auto option = std::ranges::find(table, name, &Option::name);
    if (option == table.end()) {
      std::vector<std::string> names;
      for (const Option& known : table) names.emplace_back(known.name);
      throw Error(ErrorKind::usage, "there is no option \"" + name + "\"" + nearest_names(name, names));
    }
    check_value(*option, value);
  }
}

std::string_view CheckedOptions::value(std::string_view name) const {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const auto preset = std::ranges::find(presets_, name, &Preset::name);
  if (preset == presets_.end()) throw Error(ErrorKind::internal, "option " + std::string(name) + " is in no table");
  return preset->value;
}

bool CheckedOptions::truth(std::string_view name) const { return value(name) == "true"; }

long long CheckedOptions::integer(std::string_view name) const {
  const std::string_view text = value(name);
  long long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string CheckedOptions::text(std::string_view name) const { return std::string(value(name)); }

bool CheckedOptions::given(std::string_view name) const { return given_.contains(name); }

}  // namespace quire
