#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// The name of a provenance attribute is this prefix and the name of its element.
inline constexpr std::string_view provenance_prefix = "Provenance/";
/// The prefix of the names of values that are XML fragments.
inline constexpr std::string_view fragment_prefix = "XML_";
/// The attribute with the number of a checkpoint in its run.
inline constexpr std::string_view number_key = "ChkFileNum";

inline constexpr std::string_view version_name = "Provenance/NektarVersion";
/// The version in the metadata before it was replaced by another, for layouts that cannot store it.
inline constexpr std::string_view former_version_name = "Provenance/FormerNektarVersion";
inline constexpr std::string_view timestamp_name = "Provenance/Timestamp";
inline constexpr std::string_view hostname_name = "Provenance/Hostname";

[[nodiscard]] Attribute text_attribute(std::string name, std::string text);

/// Adds the values of a Metadata or FIELDMETADATA element, given as its text, to `attributes`; of values with the same
/// name the first. Throws bad_file errors for text that is not XML.
void add_metadata(std::string_view element, std::vector<Attribute>& attributes, std::vector<std::string>& warnings);

/// Restores a version that was replaced.
void restore_version(std::vector<Attribute>& attributes);

/// The number of the step in the metadata: that of the checkpoint, or 0.
[[nodiscard]] std::int64_t number_of(const std::vector<Attribute>& attributes);

/// Why metadata cannot store attributes, with one error for each attribute: names that are not names of elements,
/// values with characters that XML cannot store, values of fragments that are not well-formed, and attributes that
/// would be the same element. The rules are the same for every layout, so that any layout can be converted to any
/// other.
[[nodiscard]] std::vector<Error> objections_to(const std::vector<Attribute>& attributes);

/// The Metadata element, indented by four blanks, with its line end. The attributes have no objections.
[[nodiscard]] std::string metadata_text(const std::vector<Attribute>& attributes);

/// A text as the value of an XML attribute, or between tags.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace quire::nektar
