// The yardstick: every rank moves its own contiguous bytes of one shared file by pwrite or pread, 4 MiB at a time, and
// does nothing else.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/method.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

constexpr std::size_t piece = 4 << 20;
constexpr std::uint64_t page = 4096;

class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw system_error("open " + path, errno);
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error("close", errno);
  }

 private:
  int descriptor_;
};

/// Moves all of `bytes` by calls of `move(memory, length, offset)`; `done` counts the calls.
template <class Move>
void move_all(std::span<std::byte> bytes, std::uint64_t offset, std::uint64_t& done, const Move& move) {
  while (!bytes.empty()) {
    const ssize_t moved = move(bytes.data(), std::min(piece, bytes.size()), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw system_error("move bytes", moved < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<std::uint64_t>(moved);
    ++done;
  }
}

class Raw final : public Method {
 public:
  Raw(const Setting& setting, bool durable) : setting_(setting), durable_(durable) {
    const std::uint64_t bytes = setting.source->step_bytes().size();
    stride_ = (bytes + page - 1) / page * page;
    std::array<std::uint64_t, 1> words{stride_ * setting.workload.steps};
    setting_.comm.prefix(words);
    first_ = words[0];
  }

  void write(const std::string& path) override {
    counters_ = {};
    // Every rank may create the file: nobody waits for another.
    File file(path, O_WRONLY | O_CREAT);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      move_all(setting_.source->step_bytes(), offset(s), counters_.writes,
               [&](const std::byte* from, std::size_t length, off_t at) {
                 return ::pwrite(file.descriptor(), from, length, at);
               });
      counters_.bytes_written += setting_.source->step_bytes().size();
    }
    if (durable_) make_durable(file, path);
    file.close();
  }

  void read(const std::string& path) override {
    counters_ = {};
    File file(path, O_RDONLY);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      read_step(file, s, setting_.target->step_bytes());
      counters_.bytes_read += setting_.source->step_bytes().size();
    }
    file.close();
  }

  void verify_written(const std::string& path) override {
    File file(path, O_RDONLY);
    std::vector<std::byte> memory(setting_.source->step_bytes().size());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      read_step(file, s, memory);
      compare(memory);
    }
  }

  void prepare_reading(const std::string& /*path*/) override {}
  void verify_read() override { compare(setting_.target->step_bytes()); }
  [[nodiscard]] TransportCounters counters() const override { return counters_; }

 private:
  /// One sync of all data when everybody has written, and one of the folder.
  void make_durable(const File& file, const std::string& path) {
    setting_.comm.barrier();
    if (setting_.comm.is_root()) {
      const File folder(std::filesystem::path(path).parent_path().string(), O_RDONLY | O_DIRECTORY);
      if (::fsync(file.descriptor()) != 0 || ::fsync(folder.descriptor()) != 0) throw system_error("fsync", errno);
    }
    setting_.comm.barrier();
  }

  [[nodiscard]] std::uint64_t offset(std::uint64_t step) const { return first_ + step * stride_; }

  void read_step(const File& file, std::uint64_t step, std::span<std::byte> to) {
    move_all(to, offset(step), counters_.reads, [&](std::byte* into, std::size_t length, off_t at) {
      return ::pread(file.descriptor(), into, length, at);
    });
  }

  void compare(std::span<const std::byte> found) const {
    if (!std::ranges::equal(found, setting_.source->step_bytes())) {
      throw Error(ErrorKind::bad_file, "the file holds other bytes than were written");
    }
  }

  Setting setting_;
  bool durable_;
  std::uint64_t stride_ = 0;
  std::uint64_t first_ = 0;
  TransportCounters counters_;
};

}  // namespace

std::unique_ptr<Method> make_raw(const MethodSpec& spec, const Setting& setting) {
  return std::make_unique<Raw>(setting, spec.get("durable", "false") == "true");
}

}  // namespace quire::bench
