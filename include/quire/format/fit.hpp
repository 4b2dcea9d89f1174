#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire {

/// What becomes of a part of a file or step that a format cannot hold as it is.
enum class ChangeKind : std::uint8_t {
  lost,      ///< it is left out, in whole or in part, or its values change
  renamed,   ///< it gets another name; nothing else changes
  reshaped,  ///< it is held in another way, such as a wider type or another place, with the same values
  added,     ///< it was not there, and the format must have it
};

/// "lost", "renamed", "reshaped" or "added".
[[nodiscard]] std::string_view name(ChangeKind kind) noexcept;

/// One such change. Changes that differ only in `name` and `now` can be reported together.
struct Change {
  ChangeKind kind = ChangeKind::lost;
  std::string object{};  ///< what it is: "column", "attribute of the file"; empty: the file or step as a whole
  std::string name{};    ///< which one
  std::string now{};     ///< its new name, if it is renamed
  std::string what{};    ///< what happens to it, and why; without a name
  [[nodiscard]] bool operator==(const Change&) const = default;
};

/// The change as a sentence: "attribute p x (now p_x) of the file: the name has forbidden characters".
[[nodiscard]] std::string sentence(const Change& change);

/// What a format can hold of a step, told before anything is converted.
struct Fit {
  StepDescription adapted{};      ///< as it will be written
  std::vector<Change> changes{};  ///< of the step and of the file
  bool numbers_as_text = false;   ///< in text there is one NaN only: what distinguishes it from others is lost

  /// Adds a change of kind `lost`.
  void lose(std::string object, std::string name, std::string what);
  /// Adds a change if the types differ: lost where values may change, else reshaped.
  void retype(std::string object, std::string name, Type before, Type after);
};

/// What `fit` makes of a step for a format that holds no elements: what rows of its tables are coefficients of is left
/// out, and told.
[[nodiscard]] Fit fit_without_expansions(const StepDescription& step,
                                         const std::function<Fit(const StepDescription&)>& fit);

}  // namespace quire
