#include "transport/factory.hpp"
#include "transport/file_transport.hpp"
#include "transport/posix_file.hpp"

namespace quire {

std::unique_ptr<Transport> make_posix(const FileRequest& request, const Comm& comm) {
  return std::make_unique<FileTransport>(make_file<PosixFile>(request, comm));
}

}  // namespace quire
