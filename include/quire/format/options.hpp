#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

enum class OptionKind : unsigned char { truth, integer, text };

/// One option of a format's writer or reader.
struct Option {
  std::string_view name;
  OptionKind kind = OptionKind::text;
  std::string_view preset;                ///< the value when not given
  std::vector<std::string_view> choices;  ///< of a text option; empty: anything
  std::string_view help;
};

/// Options by name, as given by a user: text that is checked against a format's table before use.
using Options = std::map<std::string, std::string, std::less<>>;

/// The options of one format, all with valid values.
class CheckedOptions {
 public:
  /// Throws usage errors for unknown names (with the nearest name) and for values of the wrong kind.
  CheckedOptions(const std::vector<Option>& table, const Options& given);
  [[nodiscard]] bool truth(std::string_view name) const;
  [[nodiscard]] long long integer(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool given(std::string_view name) const;

 private:
  /// The default value of an option that was not given; parsed once, because every rank checks the options of each
  /// file.
  struct Preset {
    std::string_view name;
    std::string_view value;
  };
  [[nodiscard]] std::string_view value(std::string_view name) const;
  std::vector<Preset> presets_;
  Options given_;
};

}  // namespace quire
