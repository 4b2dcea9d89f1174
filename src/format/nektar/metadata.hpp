#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::nektar {

/// Attributes of the provenance are called like their element, behind this.
inline constexpr std::string_view provenance_prefix = "Provenance/";
/// A value that is a piece of XML has a name that begins so.
inline constexpr std::string_view fragment_prefix = "XML_";
/// The attribute that numbers the checkpoints of a run.
inline constexpr std::string_view number_key = "ChkFileNum";

[[nodiscard]] Attribute text_attribute(std::string name, std::string text);

/// Adds the values in a Metadata or FIELDMETADATA element, given as its text, to `attributes`; of values of one name
/// the first. Throws bad_file errors for text that is no XML.
void add_metadata(std::string_view element, std::vector<Attribute>& attributes, std::vector<std::string>& warnings);

/// The number of the step that the metadata tell: of the checkpoint, or 0.
[[nodiscard]] std::int64_t number_of(const std::vector<Attribute>& attributes);

/// The Metadata element, indented by four blanks, with its line end. Throws usage errors for names that are no names of
/// elements.
[[nodiscard]] std::string metadata_text(const std::vector<Attribute>& attributes);

/// A text as the value of an attribute of XML, or between tags.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace quire::nektar
