#include "api/write/transport_knobs.hpp"

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

CheckedOptions checked_knobs(const Options& options) {
  Options mine;
  for (const Option& option : transport_knobs()) {
    const auto given = options.find(option.name);
    if (given != options.end()) mine.insert(*given);
  }
  return {transport_knobs(), mine};
}

}  // namespace

const std::vector<Option>& transport_knobs() {
  static const std::vector<Option> options{
      {"piece", OptionKind::integer, "4194304", {}, "bytes of one call for values that are written as they are"},
      {"staging", OptionKind::integer, "1048576", {}, "bytes of the buffer for values that are encoded"},
      {"pool", OptionKind::integer, "268435456", {}, "bytes of a step that commit_async copies before it waits"},
      {"stripe_count", OptionKind::integer, "0", {}, "servers of a parallel file system for a new file; -1: all"},
      {"stripe_size", OptionKind::integer, "0", {}, "bytes that go to one server at a time"},
  };
  return options;
}

TransportLimits limits_of(const Options& options) {
  const CheckedOptions checked = checked_knobs(options);
  TransportLimits limits;
  limits.piece = size_option(checked, "piece");
  limits.staging = size_option(checked, "staging");
  limits.pool = size_option(checked, "pool");
  return limits;
}

Striping striping_of(const Options& options) {
  const CheckedOptions checked = checked_knobs(options);
  const long long count = checked.integer("stripe_count");
  constexpr long long most = 65535;
  if (count < -1 || count > most) {
    throw Error(ErrorKind::usage, "the count must be -1 (all servers) to 65535").on("stripe_count");
  }
  const long long size = checked.integer("stripe_size");
  constexpr long long unit = 65536;
  if (size < 0 || size % unit != 0 || size >= 4 * largest) {
    throw Error(ErrorKind::usage, "the size must be a multiple of 64 KiB below 4 GiB").on("stripe_size");
  }
  return {.count = count, .size = static_cast<std::uint64_t>(size)};
}

Options without_transport_knobs(Options options) {
  for (const Option& option : transport_knobs()) {
    const auto given = options.find(option.name);
    if (given != options.end()) options.erase(given);
  }
  return options;
}

}  // namespace quire
