#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire {

/// What happens to a part of a file or step that a format cannot store unchanged.
enum class ChangeKind : std::uint8_t {
  lost,      ///< it is omitted, in whole or in part, or its values change
  renamed,   ///< it gets another name; nothing else changes
  reshaped,  ///< it is stored in another way, such as a wider type or another place, with the same values
  added,     ///< it is new, because the format requires it
};

/// "lost", "renamed", "reshaped" or "added".
[[nodiscard]] std::string_view name(ChangeKind kind) noexcept;

/// One such change. Changes that differ only in `name` and `now` can be reported together.
struct Change {
  ChangeKind kind = ChangeKind::lost;
  std::string object{};  ///< the kind of object: "column", "attribute of the file"; empty: the file or step itself
  std::string name{};    ///< the name of the object
  std::string now{};     ///< its new name, if it is renamed
  std::string what{};    ///< what happens to it, and why; without its name
  [[nodiscard]] bool operator==(const Change&) const = default;
};

/// The change as a sentence: "attribute p x (now p_x) of the file: the name has forbidden characters".
[[nodiscard]] std::string sentence(const Change& change);

/// The result of fitting a step to a format, before anything is converted.
struct Fit {
  StepDescription adapted{};      ///< the step as it will be written
  std::vector<Change> changes{};  ///< of the step and of the file
  bool numbers_as_text = false;   ///< text has one NaN only: its sign and payload are lost

  /// Adds a change of kind `lost`.
  void lose(std::string object, std::string name, std::string what);
  /// Adds a change if the types differ: lost if values may change, else reshaped.
  void retype(std::string object, std::string name, Type before, Type after);
};

/// The result of `fit` for a format without elements: the description of tables as coefficients (Table::expansion) is
/// omitted and reported as lost.
[[nodiscard]] Fit fit_without_expansions(const StepDescription& step,
                                         const std::function<Fit(const StepDescription&)>& fit);

}  // namespace quire
