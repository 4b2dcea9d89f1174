#pragma once

#include <mpi.h>

#include <string_view>

#include "quire/base/error.hpp"

namespace quire {

/// The error for a code that MPI returned: "cannot <action>: <what MPI says>". A missing file is a missing error,
/// everything else an io error.
[[nodiscard]] Error mpi_error(std::string_view action, int code);

/// Throws mpi_error() unless the code means success. Whoever waits calls it for each look: nothing is allocated.
void check_mpi(std::string_view action, int code);

/// True between MPI_Init and MPI_Finalize.
[[nodiscard]] bool mpi_is_running() noexcept;

}  // namespace quire
