#pragma once

#include <nanobind/nanobind.h>

#include "quire/api/writer.hpp"
#include "typing.hpp"

namespace quire::python {

using OptionDict = DictOf<nanobind::str>;
using TimingTuple = TupleOf<double, double, double, double, double>;
using CounterTuple = TupleOf<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                             double, double, std::uint64_t, std::uint64_t, std::uint64_t>;

/// Options of a format.
[[nodiscard]] Options options_from(const OptionDict& given);

/// In the order in which the structures declare their members.
[[nodiscard]] TimingTuple to_tuple(const Timing& timing);
[[nodiscard]] CounterTuple to_tuple(const TransportCounters& counters, const Traffic& traffic);

}  // namespace quire::python
