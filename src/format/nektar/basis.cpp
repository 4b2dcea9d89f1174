#include "format/nektar/basis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include "format/nektar/metadata.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {
namespace {

constexpr std::array<std::string_view, 18> names{
    "NoBasisType", "Ortho_A",    "Ortho_B",       "Ortho_C",           "Modified_A",        "Modified_B",
    "Modified_C",  "OrthoPyr_C", "ModifiedPyr_C", "Fourier",           "GLL_Lagrange",      "Gauss_Lagrange",
    "Legendre",    "Chebyshev",  "Monomial",      "FourierSingleMode", "FourierHalfModeRe", "FourierHalfModeIm"};
constexpr std::uint32_t first_pyramid = 7;
constexpr std::uint32_t pyramid_bases = 2;

bool is_pyramid_basis(std::string_view name) { return name == "OrthoPyr_C" || name == "ModifiedPyr_C"; }

/// Whether a direction may have a basis: homogeneous directions have Fourier bases, others do not.
bool is_allowed(std::string_view name, std::string_view shape, std::size_t direction) {
  if (name.starts_with("Fourier") != (direction >= dimensions_of(shape))) return false;
  return !is_pyramid_basis(name) || (shape == "Pyramid" && direction == 2);
}

/// A numbering is possible if every number exists and is allowed in its direction.
bool is_possible(std::span<const std::uint32_t> numbers, std::string_view shape, Numbering numbering) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto name = basis_name(numbers[i], numbering);
    if (!name || !is_allowed(*name, shape, i)) return false;
  }
  return true;
}

/// Year, month and day of a time stamp, which can be compared; nothing if it is not a time stamp.
std::optional<std::tuple<int, int, int>> date_of(std::string_view timestamp) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::size_t first = timestamp.find('-');
  const std::size_t second = timestamp.find('-', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto* month = std::ranges::find(months, timestamp.substr(first + 1, second - first - 1));
  int day = 0;
  int year = 0;
  const char* begin = timestamp.data();
  const bool has_day = std::from_chars(begin, begin + first, day).ec == std::errc();
  const bool has_year = std::from_chars(begin + second + 1, begin + timestamp.size(), year).ec == std::errc();
  if (!has_day || !has_year || month == months.end()) return std::nullopt;
  return std::tuple(year, static_cast<int>(month - months.begin()) + 1, day);
}

/// The numbering of a version; nothing if the version is unknown.
std::optional<Numbering> numbering_of(const Provenance& provenance) {
  int major = 0;
  int minor = 0;
  const char* last = provenance.version.data() + provenance.version.size();
  const auto dot = std::from_chars(provenance.version.data(), last, major);
  if (dot.ec != std::errc()) return std::nullopt;
  if (dot.ptr != last) std::from_chars(dot.ptr + 1, last, minor);
  if (major >= 5) return Numbering::present;
  if (std::pair(major, minor) <= std::pair(4, 4)) return Numbering::old;
  const auto date = date_of(provenance.timestamp);
  return date && *date >= std::tuple(2017, 4, 10) ? Numbering::present : Numbering::old;
}

}  // namespace

bool is_basis(std::string_view name) noexcept { return std::ranges::find(names, name) != names.end(); }

std::uint32_t basis_number(std::string_view name) {
  const auto* found = std::ranges::find(names, name);
  if (found == names.end()) throw Error(ErrorKind::bad_file, "unknown basis \"" + std::string(name) + "\"");
  return static_cast<std::uint32_t>(found - names.begin());
}

std::optional<std::string_view> basis_name(std::uint32_t number, Numbering numbering) {
  if (numbering == Numbering::old && number >= first_pyramid) {
    if (number >= names.size() - pyramid_bases) return std::nullopt;
    number += pyramid_bases;
  }
  if (number >= names.size()) return std::nullopt;
  return names[number];
}

std::optional<std::size_t> unfit_for_numbers(std::span<const std::string> bases, std::string_view shape) {
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (!is_allowed(bases[i], shape, i)) return i;
  }
  return std::nullopt;
}

Provenance provenance_of(const std::vector<Attribute>& attributes) {
  const auto text = [&](std::string_view key) -> std::string {
    const auto found =
        std::ranges::find(attributes, std::string(provenance_prefix) + std::string(key), &Attribute::name);
    return found == attributes.end() ? "" : found->value.as_text();
  };
  return {text("NektarVersion"), text("Timestamp")};
}

Numbering find_numbering(std::span<const BasisNumbers> kinds, const Provenance& provenance,
                         std::vector<std::string>& warnings) {
  bool old = true;
  bool present = true;
  bool matters = false;
  for (const BasisNumbers& kind : kinds) {
    const bool fits_old = is_possible(kind.numbers, kind.shape, Numbering::old);
    const bool fits_present = is_possible(kind.numbers, kind.shape, Numbering::present);
    if (!fits_old && !fits_present) {
      std::string list;
      for (const std::uint32_t number : kind.numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
      throw Error(ErrorKind::bad_file, "the numbers " + list + " are not bases of a " + kind.shape).on(kind.object);
    }
    old = old && fits_old;
    present = present && fits_present;
    matters =
        matters || std::ranges::any_of(kind.numbers, [](std::uint32_t number) { return number >= first_pyramid; });
  }
  if (!old && !present) {
    throw Error(ErrorKind::bad_file, "some bases are numbered as before April 2017, others as since then").on("BASIS");
  }
  if (!old || !present || !matters) return present ? Numbering::present : Numbering::old;
  if (const auto known = numbering_of(provenance)) return *known;
  warnings.emplace_back("the numbers of bases are read as those of version 5 and later, since the file has no version");
  return Numbering::present;
}

std::vector<std::string> basis_names(std::span<const std::uint32_t> numbers, Numbering numbering) {
  std::vector<std::string> bases;
  for (const std::uint32_t number : numbers) bases.emplace_back(basis_name(number, numbering).value());
  return bases;
}

}  // namespace quire::nektar
