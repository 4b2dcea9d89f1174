#pragma once

#include <memory>
#include <string>

#include "quire/comm/comm.hpp"

namespace quire {

/// Locks out writers of a file during its lifetime, or until it is released. Readers need no lock.
class FileLock {
 public:
  /// Independent. Allows writers again.
  void release() noexcept { state_.reset(); }

  struct State;
  explicit FileLock(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// Collective. For programs that change or replace a file by other means than a writer. Finishes an interrupted
/// replacement as finish_replacement() does, and locks what exists at the path against writers of every format. Throws
/// conflict errors, on every rank, while a writer has the file open, or one that will replace it.
[[nodiscard]] FileLock lock_file(const std::string& path, Comm comm = Comm::only_process());

}  // namespace quire
