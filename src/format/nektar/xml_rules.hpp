#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quire::nektar {

/// The first character or byte of a text that XML 1.0 cannot store, even escaped, with its position: a control
/// character, or bytes that are not UTF-8. Nothing if XML can store the text.
[[nodiscard]] std::optional<std::string> what_xml_cannot_hold(std::string_view text);

/// Whether a character is white space in XML.
[[nodiscard]] constexpr bool is_xml_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Whether a text can be the name of an element (without a prefix).
[[nodiscard]] bool is_element_name(std::string_view name);

/// Why a text cannot be used between the tags of an element as an XML fragment: the first part that is not well-formed,
/// that it contains no element, or that elements are nested more than `deepest` times. Nothing if it can.
[[nodiscard]] std::optional<std::string> what_breaks_fragment(std::string_view text, std::size_t deepest);

}  // namespace quire::nektar
