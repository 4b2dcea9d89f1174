#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

enum class OptionKind : unsigned char { truth, integer, text };

/// One option that a format's writer or reader understands.
struct Option {
  std::string_view name;
  OptionKind kind = OptionKind::text;
  std::string_view preset;                ///< the value when not given
  std::vector<std::string_view> choices;  ///< of a text option; empty: anything
  std::string_view help;
};

/// Options by name, as given by a user: text that is checked against a format's table before use.
using Options = std::map<std::string, std::string, std::less<>>;

/// The options of one format with every value known to be valid.
class CheckedOptions {
 public:
  /// Throws usage errors for unknown names (naming the nearest) and for values of the wrong kind.
  CheckedOptions(const std::vector<Option>& table, const Options& given);
  [[nodiscard]] bool truth(std::string_view name) const;
  [[nodiscard]] long long integer(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool given(std::string_view name) const;

 private:
  /// Of an option that nobody gave: every rank checks the options of every file, and few are given.
  struct Preset {
    std::string_view name;
    std::string_view value;
  };
  [[nodiscard]] std::string_view value(std::string_view name) const;
  std::vector<Preset> presets_;
  Options given_;
};

}  // namespace quire
