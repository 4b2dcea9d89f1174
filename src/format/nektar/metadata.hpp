#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// Attributes of the provenance are called like their element, behind this.
inline constexpr std::string_view provenance_prefix = "Provenance/";
/// A value that is a piece of XML has a name that begins so.
inline constexpr std::string_view fragment_prefix = "XML_";
/// The attribute that numbers the checkpoints of a run.
inline constexpr std::string_view number_key = "ChkFileNum";

inline constexpr std::string_view version_name = "Provenance/NektarVersion";
/// The version that the metadata told before another one took its place, for a layout in which it cannot stand.
inline constexpr std::string_view former_version_name = "Provenance/FormerNektarVersion";
inline constexpr std::string_view timestamp_name = "Provenance/Timestamp";
inline constexpr std::string_view hostname_name = "Provenance/Hostname";

[[nodiscard]] Attribute text_attribute(std::string name, std::string text);

/// Adds the values in a Metadata or FIELDMETADATA element, given as its text, to `attributes`; of values of one name
/// the first. Throws bad_file errors for text that is no XML.
void add_metadata(std::string_view element, std::vector<Attribute>& attributes, std::vector<std::string>& warnings);

/// Puts a version whose place another one has taken back into it.
void restore_version(std::vector<Attribute>& attributes);

/// The number of the step that the metadata tell: of the checkpoint, or 0.
[[nodiscard]] std::int64_t number_of(const std::vector<Attribute>& attributes);

/// Why metadata cannot hold attributes, each error on the name of one: names that are no names of elements, values with
/// characters that XML cannot hold, or that say to be a piece of XML and are none, two attributes that are one element.
/// This holds for every layout, so that what one of them holds the others can.
[[nodiscard]] std::vector<Error> objections_to(const std::vector<Attribute>& attributes);

/// The Metadata element, indented by four blanks, with its line end, of attributes without objections.
[[nodiscard]] std::string metadata_text(const std::vector<Attribute>& attributes);

/// A text as the value of an attribute of XML, or between tags.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace quire::nektar
