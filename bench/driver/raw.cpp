// The yardstick: every rank moves its own contiguous bytes by pwrite or pread, 4 MiB at a time, and does nothing else:
// of one shared file, or of a file of its own. It reads the file of another method if requested: where the pages of a
// file lie in memory changes the speed of a read by a third, so a method and its yardstick read the same pages.

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/method.hpp"
#include "driver/raw_file.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

constexpr std::uint64_t page = 4096;

class Raw final : public Method {
 public:
  Raw(const Setting& setting, bool durable, bool own, bool others)
      : setting_(setting), durable_(durable), own_(own), others_(others) {
    const std::uint64_t bytes = setting.source->step_bytes().size();
    // A file of others may end with the payload: nothing is read after it.
    stride_ = (others ? bytes : bytes + page - 1) / page * page;
    std::array<std::uint64_t, 1> words{stride_ * setting.workload.steps};
    setting_.comm.prefix(words);
    first_ = own ? 0 : words[0];
  }

  void write(const std::string& path) override {
    counters_ = {};
    // Every rank may create the file: no rank waits for another.
    RawFile file(path_of(path), O_WRONLY | O_CREAT);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      file.write(offset(s), setting_.source->step_bytes(), counters_);
    }
    if (durable_) make_durable(file, path);
    file.close();
  }

  void read(const std::string& path) override {
    counters_ = {};
    RawFile file(path_of(path), O_RDONLY);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      file.read(offset(s), setting_.target->step_bytes(), counters_);
    }
    file.close();
  }

  void verify_written(const std::string& path) override {
    const RawFile file(path_of(path), O_RDONLY);
    TransportCounters counters;
    std::vector<std::byte> memory(setting_.source->step_bytes().size());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      file.read(offset(s), memory, counters);
      compare(memory);
    }
  }

  void prepare_reading(const std::string& path) override {
    if (!others_) return;
    // Of another method's file only the bytes are known: those of the last step, which stay in memory.
    expected_.resize(setting_.source->step_bytes().size());
    TransportCounters counters;
    RawFile(path, O_RDONLY).read(offset(setting_.workload.steps - 1), expected_, counters);
  }
  void verify_read() override { compare(setting_.target->step_bytes()); }
  [[nodiscard]] TransportCounters counters() const override { return counters_; }

 private:
  [[nodiscard]] std::string path_of(const std::string& path) const {
    return own_ ? path + "." + std::to_string(setting_.comm.rank()) : path;
  }

  /// One sync of all data when everybody has written (each of its own file), and one of the folder.
  void make_durable(const RawFile& file, const std::string& path) {
    if (own_) file.sync();
    setting_.comm.barrier();
    if (setting_.comm.is_root()) {
      if (!own_) file.sync();
      sync_folder(std::filesystem::path(path).parent_path().string());
    }
    setting_.comm.barrier();
  }

  [[nodiscard]] std::uint64_t offset(std::uint64_t step) const { return first_ + step * stride_; }

  void compare(std::span<const std::byte> found) const {
    if (!std::ranges::equal(found, others_ ? std::span<const std::byte>(expected_) : setting_.source->step_bytes())) {
      throw Error(ErrorKind::bad_file, "the file holds other bytes than were written");
    }
  }

  Setting setting_;
  bool durable_;
  bool own_;     ///< a file of each rank
  bool others_;  ///< reads the file of another method
  std::vector<std::byte> expected_;
  std::uint64_t stride_ = 0;
  std::uint64_t first_ = 0;
  TransportCounters counters_;
};

}  // namespace

std::unique_ptr<Method> make_raw(const MethodSpec& spec, const Setting& setting) {
  return std::make_unique<Raw>(setting, spec.get("durable", "false") == "true", spec.get("own", "false") == "true",
                               spec.settings.contains("file"));
}

}  // namespace quire::bench
