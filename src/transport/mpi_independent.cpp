#include "transport/factory.hpp"
#include "transport/file_transport.hpp"
#include "transport/mpi_file.hpp"

namespace quire {

std::unique_ptr<Transport> make_mpi_independent(const FileRequest& request, const Comm& comm) {
  return std::make_unique<FileTransport>(make_file<MpiFile>(request, comm));
}

}  // namespace quire
