#pragma once

#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "quire/base/error.hpp"
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

/// Collective. Whether maxima and minima that MPI takes of unsigned words are right; nothing without MPI.
void examine_reductions(Comm& comm);

/// Collective. Runs `work` on every rank; if it fails on some, all of them throw the error of the first one: where only
/// one rank met a full disk, the others would wait for it forever.
template <class Work>
void together(Comm& comm, Work&& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (const Error& problem) {
    error = problem;
  } catch (const std::bad_alloc&) {
    error = Error(ErrorKind::memory, "there is not enough memory");
  }
  agree(comm, error);
}

}  // namespace quire::probe
