#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench::peers {

/// The result of a call of the HDF5 library. Throws io errors.
template <class Code>
Code checked(Code code, const char* action) {
  if (code < 0) throw Error(ErrorKind::io, std::string("parallel HDF5 cannot ") + action);
  return code;
}

/// An HDF5 identifier that is closed with its scope.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Closer closer, const char* action) : id_(checked(id, action)), closer_(closer) {}
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  operator hid_t() const noexcept { return id_; }  // NOLINT(google-explicit-constructor): what it is for
  void close(const char* action) { checked(closer_(std::exchange(id_, -1)), action); }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

/// Access by MPI-IO, metadata by all ranks together: the best of the settings of HDF5 for files of a few data sets.
/// Data sets from 64 KiB on are aligned to `alignment` bytes.
[[nodiscard]] Handle parallel_access(const Comm& comm, std::uint64_t alignment);

/// Independent or collective transfers.
[[nodiscard]] Handle transfer_list(bool is_collective);

/// Data sets whose values are all written: allocated early and not filled.
[[nodiscard]] Handle unfilled_creation();

}  // namespace quire::bench::peers
