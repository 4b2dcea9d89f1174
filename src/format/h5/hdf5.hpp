#pragma once

#include <hdf5.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "format/h5/image.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {

/// Keeps other threads of this process out of the library; may be taken again by the thread that has it. fork() waits
/// until no other thread has it, and the child starts without it.
[[nodiscard]] std::unique_lock<std::recursive_mutex> library_lock();

/// Owns one HDF5 identifier of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) noexcept : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      release();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { release(); }

  [[nodiscard]] hid_t id() const noexcept { return id_; }
  [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
  void release() noexcept;
  /// Lets go without closing: where that would wait for other ranks.
  void abandon() noexcept { id_ = H5I_INVALID_HID; }
  /// A second owner of the same identifier.
  [[nodiscard]] Handle share() const {
    if (id_ >= 0) H5Iinc_ref(id_);
    return Handle(id_);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// A text that belongs to the library.
using LibraryText = std::unique_ptr<char, decltype([](char* text) { H5free_memory(text); })>;

/// What HDF5's error stack says: what failed last and, in the end, why.
[[nodiscard]] std::string error_stack_text();

/// Whether the last call failed because the library does not know a message of the file, or its version: a later
/// library has written it.
[[nodiscard]] bool failed_for_version();

/// The bad_file error "cannot <action>: <what HDF5 says>", of an object if there is one.
[[nodiscard]] Error hdf5_error(std::string_view action, const std::string& object = {});

/// Takes what a call returned, or throws hdf5_error.
[[nodiscard]] inline Handle own(hid_t id, std::string_view action, const std::string& object = {}) {
  if (id < 0) throw hdf5_error(action, object);
  return Handle(id);
}

/// Checks a status, count or truth that a call returned and hands it on.
template <class Result>
Result require(Result result, std::string_view action, const std::string& object = {}) {
  if (result < 0) throw hdf5_error(action, object);
  return result;
}

/// Lets a file that is opened by this access list have structures of this version and later ones.
void set_library_version(hid_t access, LibraryVersion version);

/// Where the header of an object stands, relative to the base of its file.
[[nodiscard]] std::uint64_t address_of(hid_t object);

/// Flushes and closes a file, reporting what goes wrong. (A released handle closes silently.)
void close_file(Handle& file);

/// While it lives, HDF5 does not print its errors, and no other thread is inside the library, which is not thread-safe.
class Quiet {
 public:
  Quiet() noexcept;
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> alone_ = library_lock();
  H5E_auto2_t print_ = nullptr;
  void* client_ = nullptr;
  bool saved_ = false;
};

/// Runs `work`, which calls HDF5 on `image`: quietly, with an error of our own driver instead of what HDF5 makes of it,
/// and with the offset that HDF5 does not tell.
template <class Work>
auto with_hdf5(Image& image, Work&& work) {
  const Quiet quiet;
  try {
    return std::forward<Work>(work)();
  } catch (Error& error) {
    image.rethrow_failure();
    if (error.kind() == ErrorKind::bad_file && !error.offset() && image.last_read()) error.at(*image.last_read());
    throw;
  }
}

}  // namespace quire::h5
