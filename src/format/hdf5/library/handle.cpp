#include "format/hdf5/library/handle.hpp"

#include <pthread.h>

#include <algorithm>
#include <memory>

namespace quire::hdf5 {
namespace {

/// The descriptions of the outermost and the innermost failure.
struct StackEnds {
  std::string first;
  std::string last;
};

extern "C" herr_t collect_error(unsigned /*position*/, const H5E_error2_t* error, void* data) noexcept {
  try {
    auto& ends = *static_cast<StackEnds*>(data);
    const std::string text = error->desc != nullptr ? error->desc : "";
    if (ends.first.empty()) ends.first = text;
    if (!text.empty()) ends.last = text;
    return 0;
  } catch (...) {
    return -1;
  }
}

/// Recognizes messages of the library about an unknown message of the file, or an unknown version of it.
extern "C" herr_t find_version_error(unsigned /*position*/, const H5E_error2_t* error, void* found) noexcept {
  constexpr std::string_view signs[] = {"version", "unknown", "nvalid layout class", "unsupported"};
  const std::string_view text = error->desc != nullptr ? error->desc : "";
  const bool is_sign = std::ranges::any_of(signs, [&](std::string_view sign) { return text.find(sign) != text.npos; });
  if (is_sign) *static_cast<bool*>(found) = true;
  return 0;
}

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// A child process has only the thread that forks: a lock of another thread would never be released there, and the
// library's data would remain in the middle of that thread's change. So a fork waits until no other thread uses the
// library.
extern "C" void before_fork() noexcept { library_mutex().lock(); }
extern "C" void after_fork_in_parent() noexcept { library_mutex().unlock(); }
/// In the child the thread has another id and may not release the lock of the parent's thread.
extern "C" void after_fork_in_child() noexcept { std::construct_at(&library_mutex()); }

}  // namespace

void Handle::release() noexcept {
  if (id_ < 0) return;
  // After MPI_Finalize a parallel HDF5 has closed everything itself.
  const auto alone = library_lock();
  if (H5Iis_valid(id_) > 0) H5Idec_ref(id_);
  id_ = H5I_INVALID_HID;
}

std::string error_stack_text() {
  StackEnds ends;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect_error, &ends);
  if (ends.first.empty()) return "HDF5 gives no reason";
  return ends.first == ends.last ? ends.first : ends.first + " (" + ends.last + ")";
}

bool failed_for_version() {
  bool found = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, find_version_error, &found);
  return found;
}

Error hdf5_error(std::string_view action, const std::string& object) {
  Error error(ErrorKind::bad_file, "cannot " + std::string(action) + ": " + error_stack_text());
  if (!object.empty()) error.on(object);
  return error;
}

void set_library_version(hid_t access, LibraryVersion version) {
  H5F_libver_t low = H5F_LIBVER_EARLIEST;
  if (version == LibraryVersion::v18) low = H5F_LIBVER_V18;
  if (version == LibraryVersion::v110) low = H5F_LIBVER_V110;
  require(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST), "set the library bounds");
}

std::uint64_t address_of(hid_t object) {
  H5O_info_t info{};
  require(H5Oget_info2(object, &info, H5O_INFO_BASIC), "find the object's header");
  return info.addr;
}

void close_file(Handle& file) {
  require(H5Fflush(file.id(), H5F_SCOPE_LOCAL), "flush the HDF5 file");
  const hid_t id = file.id();
  require(H5Fclose(id), "close the HDF5 file");
  file.release();
}

std::unique_lock<std::recursive_mutex> library_lock() {
  // If memory for the handler is missing, a fork does not wait, as without this library.
  static const int registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  static_cast<void>(registered);
  return std::unique_lock(library_mutex());
}

Quiet::Quiet() noexcept {
  unsigned is_second = 0;
  // A program may have installed a version 1 handler, which can neither be read nor restored here.
  if (H5Eauto_is_v2(H5E_DEFAULT, &is_second) >= 0 && is_second != 0) {
    saved_ = H5Eget_auto2(H5E_DEFAULT, &print_, &client_) >= 0;
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
}

Quiet::~Quiet() {
  if (saved_) H5Eset_auto2(H5E_DEFAULT, print_, client_);
}

}  // namespace quire::hdf5
