#include "transport/mpi_handle.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "comm/mpi_error.hpp"
#include "transport/full_disk.hpp"

namespace quire {
namespace {

/// MPI_Info hints; MPI libraries ignore unknown keys.
class Hints {
 public:
  Hints() { check_mpi("make hints", MPI_Info_create(&info_)); }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  ~Hints() { MPI_Info_free(&info_); }
  void set(const char* key, const char* value) { check_mpi("set a hint", MPI_Info_set(info_, key, value)); }
  [[nodiscard]] MPI_Info get() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// The reason at the end of an MPI error text: "No space left on device" of
/// "Other I/O error , error stack:\nADIOI_GEN_WRITECONTIG(80): Other I/O error No space left on device".
std::string reason_in(const std::string& mpi_text) {
  const std::size_t line = mpi_text.rfind('\n');
  std::string reason = line == std::string::npos ? mpi_text : mpi_text.substr(line + 1);
  const std::size_t function = line == std::string::npos ? line : reason.find("): ");
  if (function != std::string::npos) reason.erase(0, function + 3);
  constexpr std::string_view general = "Other I/O error ";
  if (reason.size() > general.size() && reason.starts_with(general)) reason.erase(0, general.size());
  return reason;
}

/// MPI reports errors of the system mostly as text only.
bool is_full_disk(int code, const std::string& reason) {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  if (error_class == MPI_ERR_NO_SPACE || error_class == MPI_ERR_QUOTA) return true;
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT, EFBIG},
                             [&](int number) { return reason.ends_with(std::generic_category().message(number)); });
}

Error file_error(const char* action, int code, const std::string& path) {
  const Error original = mpi_error(action, code);
  const std::string beginning = "cannot " + std::string(action) + ": ";
  const std::string reason = reason_in(original.message().substr(beginning.size()));
  Error error(original.kind(), beginning + reason);
  if (is_full_disk(code, reason)) error.advise(advice_to_make_room);
  return error.in_file(path);
}

}  // namespace

MpiHandle::~MpiHandle() {
  if (is_open() && !shared_ && mpi_is_running()) MPI_File_close(&file_);
}

void MpiHandle::open(MPI_Comm communicator, const FileRequest& request) {
  path_ = request.path;
  if (!mpi_is_running()) {
    throw Error(ErrorKind::usage, "a transport of MPI works only between MPI_Init and MPI_Finalize").in_file(path_);
  }
  int size = 1;
  check_mpi("look up the number of ranks", MPI_Comm_size(communicator, &size));
  shared_ = size > 1;

  // Extents are contiguous: data sieving and collective buffering would only cost time.
  Hints hints;
  hints.set("romio_ds_write", "disable");
  hints.set("romio_ds_read", "disable");
  if (!shared_) {
    hints.set("romio_cb_write", "disable");
    hints.set("romio_cb_read", "disable");
  }
  int mode = request.access == Access::read ? MPI_MODE_RDONLY : MPI_MODE_RDWR;
  if (request.makes()) mode |= MPI_MODE_CREATE;
  const int code = MPI_File_open(communicator, path_.c_str(), mode, hints.get(), &file_);
  if (code != MPI_SUCCESS) file_ = MPI_FILE_NULL;
  check(request.makes() ? "create" : "open", code);
}

void MpiHandle::close() {
  if (!is_open()) return;
  const int code = MPI_File_close(&file_);
  file_ = MPI_FILE_NULL;
  check("close", code);
}

void MpiHandle::check(const char* action, int code, std::uint64_t offset) const {
  if (code != MPI_SUCCESS) throw file_error(action, code, path_).at(offset);
}

void MpiHandle::check(const char* action, int code) const {
  if (code != MPI_SUCCESS) throw file_error(action, code, path_);
}

std::size_t bytes_moved(const MPI_Status& status) {
  int count = 0;
  check_mpi("count bytes", MPI_Get_count(&status, MPI_BYTE, &count));
  return count == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(count);
}

}  // namespace quire
