#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quire::nektar {

/// What of a text XML 1.0 can hold nowhere, escaped or not, with where it stands: control characters, bytes that are no
/// UTF-8. Nothing if it can hold all of it.
[[nodiscard]] std::optional<std::string> what_xml_cannot_hold(std::string_view text);

/// Whether a text can be the name of an element (without a prefix).
[[nodiscard]] bool is_element_name(std::string_view name);

/// Why a text cannot stand between the tags of an element as a piece of XML: the first thing in it that is not well
/// formed, that it holds no element, or that its elements lie in each other more than `deepest` times. Nothing if it
/// can.
[[nodiscard]] std::optional<std::string> what_breaks_fragment(std::string_view text, std::size_t deepest);

}  // namespace quire::nektar
