#pragma once

#include <utility>

#include "format/h5/hdf5.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {

/// Runs work that calls the library, with Quiet. Its bad_file errors become io errors, since no file is damaged.
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
