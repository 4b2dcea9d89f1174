#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::nektar {

/// How bases are numbered: two bases of pyramids were inserted on 10 April 2017, without a new version of the format
/// (specs/nektar-fld.md section 1.2).
enum class Numbering : std::uint8_t { old, present };

[[nodiscard]] bool is_basis(std::string_view name) noexcept;
/// The number of a basis in the present numbering. Throws bad_file errors for unknown names.
[[nodiscard]] std::uint32_t basis_number(std::string_view name);
/// The name of a basis, or nothing.
[[nodiscard]] std::optional<std::string_view> basis_name(std::uint32_t number, Numbering numbering);

/// The first direction whose basis cannot be recovered from its number in the present numbering; nothing if all can.
/// All bases are known, one for each direction of the shape and each homogeneous direction.
[[nodiscard]] std::optional<std::size_t> unfit_for_numbers(std::span<const std::string> bases, std::string_view shape);

/// Which program wrote a file, and when.
struct Provenance {
  std::string version;    ///< as "5.0.0"; empty: unknown
  std::string timestamp;  ///< as "28-Aug-2013 13:52:01"
};
[[nodiscard]] Provenance provenance_of(const std::vector<Attribute>& attributes);

/// The bases of one kind of blocks as numbers, and the shape. The directions of the shape come first, then the
/// homogeneous ones.
struct BasisNumbers {
  std::vector<std::uint32_t> numbers;
  std::string shape;
  std::string object{};  ///< where the numbers are stored, for errors
};

/// The numbering of a file with these kinds of blocks, by the rules of the specification; it is the same for all of
/// them. Throws bad_file errors for numbers that fit neither numbering; adds a guess to `warnings`.
[[nodiscard]] Numbering find_numbering(std::span<const BasisNumbers> kinds, const Provenance& provenance,
                                       std::vector<std::string>& warnings);
/// The names of bases, all of which exist in the numbering.
[[nodiscard]] std::vector<std::string> basis_names(std::span<const std::uint32_t> numbers, Numbering numbering);

}  // namespace quire::nektar
