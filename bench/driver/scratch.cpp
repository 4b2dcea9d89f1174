#include "driver/scratch.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "driver/ranks.hpp"
#include "driver/raw_file.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

constexpr int stop_watching = SIGUSR2;

sigset_t held_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, stop_watching}) sigaddset(&signals, signal);
  return signals;
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

void hold_signals() {
  const sigset_t signals = held_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void release_signals() {
  const sigset_t signals = held_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

Scratch::Scratch(const std::string& parent, Comm& comm) : is_root_(comm.is_root()) {
  std::string pattern = parent + "/quire-bench-XXXXXX";
  const auto error = together(comm, [&] {
    if (is_root_ && mkdtemp(pattern.data()) == nullptr) throw system_error("make a folder in " + parent, errno);
  });
  if (error) throw Error(*error);
  path_ = text_of_root(comm, pattern);
  watcher_ = std::jthread([this] { watch(); });
}

Scratch::~Scratch() {
  pthread_kill(watcher_.native_handle(), stop_watching);
  watcher_.join();
  if (is_root_) remove_folder(path_);
}

void Scratch::watch() const {
  using namespace std::chrono_literals;
  const sigset_t signals = held_signals();
  int signal = 0;
  sigwait(&signals, &signal);
  if (signal == stop_watching) return;
  // The other ranks may still make files for a moment: their own watchers do the same.
  for (int turn = 0; turn < 20 && std::filesystem::exists(path_); ++turn) {
    remove_folder(path_);
    std::this_thread::sleep_for(20ms);
  }
  _exit(128 + signal);
}

std::vector<FileEntry> files_in(const std::string& folder, Comm& comm) {
  std::string names;
  if (comm.is_root()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) names += entry.path().string() + '\0' + std::to_string(entry.file_size()) + '\0';
    }
  }
  names = text_of_root(comm, names);
  std::vector<FileEntry> files;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t middle = names.find('\0', at);
    const std::size_t end = names.find('\0', middle + 1);
    files.push_back({names.substr(at, middle - at), std::stoull(names.substr(middle + 1, end - middle - 1))});
    at = end + 1;
  }
  std::ranges::sort(files, {}, &FileEntry::path);
  return files;
}

std::string only_file_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found.push_back(entry.path().string());
  if (found.size() == 1) return found.front();
  throw Error(ErrorKind::usage, "only a method that makes one file makes it for another one").in_file(folder);
}

std::uint64_t bytes_in(const std::vector<FileEntry>& files) {
  std::uint64_t sum = 0;
  for (const FileEntry& file : files) sum += file.bytes;
  return sum;
}

void spoil_byte(const std::string& path, std::uint64_t place) {
  TransportCounters counters;
  RawFile file(path, O_RDWR);
  std::byte byte{};
  file.read(place, {&byte, 1}, counters);
  byte = ~byte;
  file.write(place, {&byte, 1}, counters);
  file.close();
}

void spoil(const std::vector<FileEntry>& files) {
  const auto largest = std::ranges::max_element(files, {}, &FileEntry::bytes);
  if (largest != files.end() && largest->bytes > 0) spoil_byte(largest->path, largest->bytes / 7);
}

}  // namespace quire::bench
