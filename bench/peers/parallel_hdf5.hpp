#pragma once

#include <memory>

#include "driver/method.hpp"

namespace quire::bench::peers {

/// The same layout as H5Part's, one group a step and one data set a column, through parallel HDF5 itself.
///
/// Settings: transfer=independent|collective, alignment=BYTES of data sets from 64 KiB on (1 as the library's own
/// default: data at odd offsets), layout=columns|matrix: with `matrix` one data set of rows and columns a step, from an
/// array that has this order in memory already; it can only be written.
[[nodiscard]] std::unique_ptr<Method> make_parallel_hdf5(const MethodSpec& spec, const Setting& setting);

}  // namespace quire::bench::peers
