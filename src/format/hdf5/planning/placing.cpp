#include "format/hdf5/planning/placing.hpp"

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t small_alignment = 8;

}  // namespace

Alignment Alignment::of(const CheckedOptions& options) {
  const long long multiple = options.integer("alignment");
  constexpr long long most = 1LL << 30;
  if (multiple < 8 || multiple > most || multiple % 8 != 0) {
    throw Error(ErrorKind::usage, "the alignment must be a multiple of 8 up to 1 GiB").on("alignment");
  }
  const long long threshold = options.integer("alignment_threshold");
  if (threshold < 0) throw Error(ErrorKind::usage, "the threshold must be 0 bytes or more").on("alignment_threshold");
  return {static_cast<std::uint64_t>(multiple), static_cast<std::uint64_t>(threshold)};
}

std::uint64_t Alignment::next(std::uint64_t offset, std::uint64_t length) const {
  return round_up(offset, length >= threshold ? multiple : small_alignment);
}

std::vector<Option> with_alignment(std::vector<Option> options) {
  options.push_back(
      {"alignment", OptionKind::integer, "4096", {}, "long datasets start at multiples of this many bytes"});
  options.push_back(
      {"alignment_threshold", OptionKind::integer, "65536", {}, "size in bytes from which a dataset is long"});
  return options;
}

}  // namespace quire::hdf5
