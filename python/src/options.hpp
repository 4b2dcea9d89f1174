#pragma once

#include <nanobind/nanobind.h>

#include "quire/api/writer.hpp"

namespace quire::python {

/// Options of a format from a dict of str to str.
[[nodiscard]] Options options_from(const nanobind::dict& given);

/// In the order in which the structures declare their members.
[[nodiscard]] nanobind::tuple to_tuple(const Timing& timing);
[[nodiscard]] nanobind::tuple to_tuple(const TransportCounters& counters, const Traffic& traffic);

}  // namespace quire::python
