#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// Signals that end a program are kept back from here on, in every thread that is started later.
void hold_signals();
/// The opposite, for programs that have nothing to tidy up.
void release_signals();

/// A new folder below the one that was given: nothing else is ever deleted. It goes with the object, and when a signal
/// ends the program; hold_signals() must have been called before any thread was started.
class Scratch {
 public:
  /// Collective. Throws io errors.
  Scratch(const std::string& parent, Comm& comm);
  /// Independent; rank 0 removes the folder.
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void watch() const;

  std::string path_;
  bool is_root_;
  std::jthread watcher_;
};

/// A file of a folder, and its size.
struct FileEntry {
  std::string path;
  std::uint64_t bytes = 0;
};

/// Collective. All files in a folder and below, as rank 0 sees them.
[[nodiscard]] std::vector<FileEntry> files_in(const std::string& folder, Comm& comm);

[[nodiscard]] std::uint64_t bytes_in(const std::vector<FileEntry>& files);

/// Independent. Throws usage errors if a method has made several files.
[[nodiscard]] std::string only_file_in(const std::string& folder);

/// Changes one byte of a file.
void spoil_byte(const std::string& path, std::uint64_t place);
/// Changes one byte in the largest file, after its header.
void spoil(const std::vector<FileEntry>& files);

}  // namespace quire::bench
