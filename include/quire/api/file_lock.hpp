#pragma once

#include <memory>
#include <string>

#include "quire/comm/comm.hpp"

namespace quire {

/// Keeps writers from a file as long as it lives, or until it is released. Readers ask for no lock.
class FileLock {
 public:
  /// Independent. Lets writers in again.
  void release() noexcept { state_.reset(); }

  struct State;
  explicit FileLock(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// Collective. For programs that change or replace a file by other means than a writer: finishes an interrupted
/// replacement as finish_replacement() does, and locks what is at the path, if anything is, against writers of every
/// format. Throws conflict errors, on every rank, while a writer has the file open, or one that is to take its place.
[[nodiscard]] FileLock lock_file(const std::string& path, Comm comm = Comm::self());

}  // namespace quire
