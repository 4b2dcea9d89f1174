#pragma once

#include <mpi.h>

#include <string_view>

#include "quire/base/error.hpp"

namespace quire {

/// The error for a code that MPI returned: "cannot <action>: <message of MPI>". A missing file is a missing error, all
/// others are io errors.
[[nodiscard]] Error mpi_error(std::string_view action, int code);

/// Throws mpi_error() unless the code means success. Allocates nothing on success, because waits call it in a loop.
void check_mpi(std::string_view action, int code);

/// True between MPI_Init and MPI_Finalize.
[[nodiscard]] bool mpi_is_running() noexcept;

}  // namespace quire
