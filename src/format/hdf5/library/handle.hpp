#pragma once

#include <hdf5.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "format/hdf5/image/image.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {

/// Locks the library against other threads of this process; recursive. fork() waits until no other thread has the lock,
/// and the child starts without it.
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
  /// Gives up the identifier without closing it, if closing would wait for other ranks.
  void abandon() noexcept { id_ = H5I_INVALID_HID; }
  /// A second owner of the same identifier.
  [[nodiscard]] Handle share() const {
    if (id_ >= 0) H5Iinc_ref(id_);
    return Handle(id_);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// A string allocated by the library.
using LibraryText = std::unique_ptr<char, decltype([](char* text) { H5free_memory(text); })>;

/// HDF5's error stack: the outermost failure and the innermost cause.
[[nodiscard]] std::string error_stack_text();

/// Whether the last call failed because the library does not know a message of the file, or its version, which a later
/// library has written.
[[nodiscard]] bool failed_for_version();

/// The bad_file error "cannot <action>: <message of HDF5>", with the name of an object if it is not empty.
[[nodiscard]] Error hdf5_error(std::string_view action, const std::string& object = {});

/// Owns the identifier that a call returned, or throws hdf5_error.
[[nodiscard]] inline Handle own(hid_t id, std::string_view action, const std::string& object = {}) {
  if (id < 0) throw hdf5_error(action, object);
  return Handle(id);
}

/// Checks a status, count or truth value that a call returned, and returns it.
template <class Result>
Result require(Result result, std::string_view action, const std::string& object = {}) {
  if (result < 0) throw hdf5_error(action, object);
  return result;
}

/// Allows a file opened with this access list to have structures of this version and later ones.
void set_library_version(hid_t access, LibraryVersion version);

/// The address of the header of an object, relative to the base of its file.
[[nodiscard]] std::uint64_t address_of(hid_t object);

/// Flushes and closes a file and reports errors. (A released handle is closed without errors.)
void close_file(Handle& file);

/// Turns off HDF5's printing of errors, and locks the library, which is not thread-safe.
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

/// Runs `work`, which calls HDF5 on `image`, with Quiet. Errors of our driver replace those of HDF5, and errors without
/// an offset get the offset of the last read.
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

}  // namespace quire::hdf5
