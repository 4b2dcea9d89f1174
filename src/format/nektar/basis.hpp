#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::nektar {

/// How numbers stand for bases: two bases of pyramids were put in on 10 April 2017, without a new version of the format
/// (specs/nektar-fld.md section 1.2).
enum class Numbering : std::uint8_t { old, present };

/// The number of a basis in the present numbering. Throws bad_file errors for names that nobody knows.
[[nodiscard]] std::uint32_t basis_number(std::string_view name);
/// The name of a basis, or nothing.
[[nodiscard]] std::optional<std::string_view> basis_name(std::uint32_t number, Numbering numbering);

/// What is known of the program that wrote a file.
struct Provenance {
  std::string version;    ///< as "5.0.0"; empty: not known
  std::string timestamp;  ///< as "28-Aug-2013 13:52:01"
};
[[nodiscard]] Provenance provenance_of(const std::vector<Attribute>& attributes);

/// The bases of one block, whose shape has so many directions of its own (the others are homogeneous), under the
/// numbering that the specification's rules find. Throws bad_file errors for numbers that fit neither; a guess is told
/// in `warnings`.
[[nodiscard]] std::vector<std::string> basis_names(std::span<const std::uint32_t> numbers, std::string_view shape,
                                                   const Provenance& provenance, std::vector<std::string>& warnings);

}  // namespace quire::nektar
