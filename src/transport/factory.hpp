#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "quire/comm/comm.hpp"
#include "transport/raw_file.hpp"

namespace quire {

/// One transport: its name and its constructor, which is independent. It opens the file on the rank that creates it,
/// and always on rank 0.
struct TransportFactory {
  std::string_view name;
  bool is_collective;  ///< of transports that write
  bool is_positional;  ///< calls only the operating system, at offsets: neither MPI nor a file pointer
  std::unique_ptr<Transport> (*make)(const FileRequest& request, const Comm& comm);
};

/// Independent. The transports of this build, the default first, then those that were added.
[[nodiscard]] std::span<const TransportFactory> transport_factories() noexcept;

/// Independent. Adds the transports of the MPI that this code is compiled for to a library without MPI. Once only, and
/// not while another thread opens a file.
void add_mpi_transports(std::span<const TransportFactory> transports) noexcept;

/// Independent. The transports of the MPI that this code is compiled for; none in a library without MPI.
[[nodiscard]] std::span<const TransportFactory> linked_mpi_transports() noexcept;

[[nodiscard]] std::unique_ptr<Transport> make_posix(const FileRequest& request, const Comm& comm);
[[nodiscard]] std::unique_ptr<Transport> make_aggregated(const FileRequest& request, const Comm& comm);
[[nodiscard]] std::unique_ptr<Transport> make_mpi_independent(const FileRequest& request, const Comm& comm);
[[nodiscard]] std::unique_ptr<Transport> make_mpi_collective(const FileRequest& request, const Comm& comm);

/// Opens the file at once on rank 0; the other ranks open it at first use.
template <class File>
[[nodiscard]] std::unique_ptr<RawFile> make_file(const FileRequest& request, const Comm& comm) {
  auto file = std::make_unique<File>(request);
  if (comm.is_root()) file->open();
  return file;
}

}  // namespace quire
