#pragma once

#include <functional>
#include <span>
#include <string>

#include "quire/comm/comm.hpp"

namespace quire::probe {

/// Runs a program on all ranks that were started; a build without MPI has one.
[[nodiscard]] int with_ranks(int argc, char** argv, const std::function<int(Comm&)>& program);

/// What the MPI library calls itself, in one line; empty without MPI.
[[nodiscard]] std::string library_version();

/// Collective. The barrier of MPI itself, which blocks.
void blocking_barrier(Comm& comm);

/// Collective. Sends bytes from rank 0 to the last rank and back; others do nothing.
void ping_pong(Comm& comm, std::span<std::byte> bytes);

/// Collective. Which implementation of MPI-IO opens a file: "romio", "other"; empty without MPI.
[[nodiscard]] std::string mpi_io_family(Comm& comm, const std::string& path);

}  // namespace quire::probe
