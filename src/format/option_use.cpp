#include "format/option_use.hpp"

#include <algorithm>

namespace quire {

std::optional<Error> useless_option(const CheckedOptions& options, const std::vector<Option>& table,
                                    const std::vector<OptionUse>& uses) {
  for (const OptionUse& use : uses) {
    const auto option = std::ranges::find(table, use.option, &Option::name);
    if (!options.given(use.option) || options.text(use.option) == option->preset) continue;
    const std::string& other = options.text(use.with);
    if (std::ranges::find(use.values, other) != use.values.end()) continue;
    std::string wanted;
    for (const std::string_view value : use.values) {
      wanted += (wanted.empty() ? "" : " or ") + std::string(use.with) + "=" + std::string(value);
    }
    return Error(ErrorKind::usage, "the option has no effect with " + std::string(use.with) + "=" + other)
        .on(std::string(use.option))
        .advise("leave it out, or choose " + wanted);
  }
  return std::nullopt;
}

}  // namespace quire
