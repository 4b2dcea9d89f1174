#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quire/format/options.hpp"

namespace quire {

/// Collects options that are given as typed values. Those without a value keep their default.
class GivenOptions {
 public:
  GivenOptions& add(const char* name, const std::optional<bool>& value) {
    if (value) options_[name] = *value ? "true" : "false";
    return *this;
  }
  GivenOptions& add(const char* name, const std::optional<std::int64_t>& value) {
    if (value) options_[name] = std::to_string(*value);
    return *this;
  }
  GivenOptions& add(const char* name, const std::optional<std::string>& value) {
    if (value) options_[name] = *value;
    return *this;
  }
  [[nodiscard]] const Options& all() const noexcept { return options_; }

 private:
  Options options_;
};

}  // namespace quire
