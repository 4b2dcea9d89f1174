#pragma once

#include <nanobind/nanobind.h>

#include "quire/model/selection.hpp"
#include "typing.hpp"

namespace quire::python {

/// Tuples (start, stride, count, block), one for each part of a selection.
using Slabs = std::vector<TupleOf<Numbers, Numbers, Numbers, Numbers>>;
/// A pair: extents and slabs.
using Places = TupleOf<Numbers, Slabs>;

[[nodiscard]] Selection selection_from(Unchecked<Slabs> slabs);

/// Two empty lists: packed.
[[nodiscard]] MemorySelection memory_from(Unchecked<Places> memory);

}  // namespace quire::python
