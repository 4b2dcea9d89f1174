#pragma once

#include <nanobind/nanobind.h>

#include "quire/model/selection.hpp"

namespace quire::python {

/// A selection from tuples (start, stride, count, block) of lists, one for each of its parts.
[[nodiscard]] Selection selection_from(nanobind::handle slabs);

/// A memory selection from a pair: extents and slabs. Two empty lists: packed.
[[nodiscard]] MemorySelection memory_from(nanobind::handle memory);

}  // namespace quire::python
