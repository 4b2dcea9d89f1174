#include "api/transport_knobs.hpp"

#include "quire/base/error.hpp"

namespace quire {
namespace {

constexpr long long smallest = 4096;
constexpr long long largest = 1LL << 30;

std::size_t size_option(const CheckedOptions& options, std::string_view name) {
  const long long size = options.integer(name);
  if (size < smallest || size > largest) {
    throw Error(ErrorKind::usage, "the size must be 4 KiB to 1 GiB").on(std::string(name));
  }
  return static_cast<std::size_t>(size);
}

}  // namespace

const std::vector<Option>& transport_knobs() {
  static const std::vector<Option> options{
      {"piece", OptionKind::integer, "4194304", {}, "bytes of one call for values that are written as they are"},
      {"staging", OptionKind::integer, "1048576", {}, "bytes of the buffer for values that are encoded"},
  };
  return options;
}

TransportLimits limits_of(const Options& options) {
  Options mine;
  for (const Option& option : transport_knobs()) {
    const auto given = options.find(option.name);
    if (given != options.end()) mine.insert(*given);
  }
  const CheckedOptions checked(transport_knobs(), mine);
  TransportLimits limits;
  limits.piece = size_option(checked, "piece");
  limits.staging = size_option(checked, "staging");
  return limits;
}

Options without_transport_knobs(Options options) {
  for (const Option& option : transport_knobs()) {
    const auto given = options.find(option.name);
    if (given != options.end()) options.erase(given);
  }
  return options;
}

}  // namespace quire
