#include "comm/mpi_error.hpp"

#include <array>
#include <string>

namespace quire {

Error mpi_error(std::string_view action, int code) {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {error_class == MPI_ERR_NO_SUCH_FILE ? ErrorKind::missing : ErrorKind::io,
          "cannot " + std::string(action) + ": " + std::string(text.data(), static_cast<std::size_t>(length))};
}

void check_mpi(std::string_view action, int code) {
  if (code != MPI_SUCCESS) throw mpi_error(action, code);
}

bool mpi_is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace quire
