#pragma once

#include <optional>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/format/options.hpp"

namespace quire {

/// An option that has an effect only if another option has one of these values.
struct OptionUse {
  std::string_view option;
  std::string_view with;
  std::vector<std::string_view> values;
};

/// Independent. A usage error for the first option that differs from its preset and has no effect with the other
/// options; nothing if all given options have an effect.
[[nodiscard]] std::optional<Error> useless_option(const CheckedOptions& options, const std::vector<Option>& table,
                                                  const std::vector<OptionUse>& uses);

}  // namespace quire
