#pragma once

#include <utility>

#include "format/h5/hdf5.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {

/// Runs what calls the library, quietly; what fails there is no damage of a file, but a refusal.
template <class Work>
void with_library(Work&& work) {
  const Quiet quiet;
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    throw Error(ErrorKind::io, error.message()).on(error.object());
  }
}

}  // namespace quire::h5
