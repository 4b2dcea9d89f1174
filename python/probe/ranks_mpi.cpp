#include <algorithm>
#include <array>

#include "mpi_checks.hpp"
#include "quire/comm/mpi.hpp"
#include "ranks.hpp"

namespace quire::probe {

int with_ranks(int argc, char** argv, const std::function<int(Comm&)>& program) {
  const MpiSession session(argc, argv);
  Comm comm = world();
  return program(comm);
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  require(MPI_Get_library_version(text.data(), &length), "ask for the version");
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.size(), line.find('\n')));
  std::ranges::replace(line, '\t', ' ');
  std::erase(line, '\0');
  return line;
}

void blocking_barrier(Comm& comm) { require(MPI_Barrier(mpi_handle(comm)), "wait for all ranks"); }

void ping_pong(Comm& comm, std::span<std::byte> bytes) {
  const int last = comm.size() - 1;
  if (last == 0) return;
  MPI_Comm communicator = mpi_handle(comm);
  const int count = static_cast<int>(bytes.size());
  const auto send = [&](int to) { require(MPI_Send(bytes.data(), count, MPI_BYTE, to, 0, communicator), "send"); };
  const auto receive = [&](int from) {
    require(MPI_Recv(bytes.data(), count, MPI_BYTE, from, 0, communicator, MPI_STATUS_IGNORE), "receive");
  };
  if (comm.rank() == 0) {
    send(last);
    receive(last);
  } else if (comm.rank() == last) {
    receive(0);
    send(0);
  }
}

namespace {

/// The setting of Open MPI for opening files: a list of components, or of excluded ones after a ^. Empty
/// if nothing, and for other libraries. Its ROMIO reports no hints.
std::string set_components() {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return {};
  std::string text;
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index("io", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    text.resize(static_cast<std::size_t>(count) + 1);
    if (MPI_T_cvar_read(handle, text.data()) != MPI_SUCCESS) text.clear();
    text.resize(std::min(text.size(), text.find('\0')));
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return text;
}

bool leaves_romio(const std::string& components) {
  const bool names_other = components.find("ompio") != std::string::npos;
  if (components.starts_with('^')) return names_other;
  return !names_other && components.find("romio") != std::string::npos;
}

}  // namespace

std::string mpi_io_family(Comm& comm, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  require(MPI_File_open(mpi_handle(comm), path.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file), "open");
  MPI_Info hints = MPI_INFO_NULL;
  require(MPI_File_get_info(file, &hints), "ask for hints");
  int count = 0;
  MPI_Info_get_nkeys(hints, &count);
  bool romio = leaves_romio(set_components());
  for (int i = 0; i < count; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    MPI_Info_get_nthkey(hints, i, key.data());
    romio = romio || std::string_view(key.data()).starts_with("romio_");
  }
  MPI_Info_free(&hints);
  require(MPI_File_close(&file), "close");
  return romio ? "romio" : "other";
}

}  // namespace quire::probe
