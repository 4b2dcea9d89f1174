#pragma once

// Only in builds with MPI.
#include <mpi.h>

#include <array>
#include <string>

#include "quire/base/error.hpp"

namespace quire::probe {

/// Throws an io error unless `code` means success.
inline void require(int code, const std::string& action) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::io,
              "MPI cannot " + action + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace quire::probe
