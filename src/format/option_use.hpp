#pragma once

#include <optional>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/format/options.hpp"

namespace quire {

/// An option that means something only where another one has one of these values.
struct OptionUse {
  std::string_view option;
  std::string_view with;
  std::vector<std::string_view> values;
};

/// Independent. A usage error about the first option that was given, has another value than its preset, and means
/// nothing with the others; nothing if all of them have their use.
[[nodiscard]] std::optional<Error> useless_option(const CheckedOptions& options, const std::vector<Option>& table,
                                                  const std::vector<OptionUse>& uses);

}  // namespace quire
