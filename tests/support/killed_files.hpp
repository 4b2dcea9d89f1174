// All files of a step as a kill leaves them, at every moment of the write.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed.hpp"
#include "transport/forwarding.hpp"

namespace quire::test {

/// Records the writes of one process, and replays the states of the files in between.
class KilledFiles {
 public:
  /// Records files that are opened with these options from now on.
  void wrap(WriteOptions& options) {
    options.wrapper = [this](std::unique_ptr<Transport> inner, const std::string& file, int) {
      auto& trace = traces_[file];
      if (!trace) {
        trace = std::make_shared<Trace>();
        trace->keep_bytes = true;
        order_.push_back({file, made});
      }
      return std::make_unique<Watched>(traced(std::move(inner), trace), *this);
    };
  }

  /// Calls `look` after every event that changes a file whose name begins with `first`, and in the middle of writes
  /// that are not small. The files then have names that begin with `other`.
  void replay(const std::string& first, const std::string& other,
              const std::function<void(const std::string& when)>& look) const {
    remove_older(other);
    std::map<std::string, std::string> files;
    const auto leave = [&](const std::string& file, const std::string& bytes) {
      const std::string target = other + file.substr(first.size());
      std::filesystem::create_directories(std::filesystem::path(target).parent_path());
      write_bytes(target, bytes);
    };
    for (std::size_t moment = 0; moment < order_.size(); ++moment) {
      const auto& [file, number] = order_[moment];
      if (!file.starts_with(first)) continue;
      const std::string when = "event " + std::to_string(moment) + " in " + file;
      std::string& bytes = files[file];
      if (number != made) {
        const TraceEvent& event = traces_.at(file)->events[number];
        if (event.what == TraceEvent::What::write && event.length > atomic_bytes) {
          std::string torn = bytes;
          write_in_part(event, event.length / 2, torn);
          leave(file, torn);
          look("the middle of " + when);
        }
        const std::string before = bytes;
        write_in_part(event, event.length, bytes);
        if (bytes == before) continue;
      }
      leave(file, bytes);
      look(when);
    }
  }

 private:
  /// The kernel copies this many bytes at once.
  static constexpr std::uint64_t atomic_bytes = 8;
  static constexpr std::size_t made = static_cast<std::size_t>(-1);

  /// Files of an earlier run would be mistaken for files of this one.
  static void remove_older(const std::filesystem::path& first) {
    const auto folder = first.has_parent_path() ? first.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::exists(folder)) return;
    std::vector<std::filesystem::path> older;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with(first.filename().string())) older.push_back(entry.path());
    }
    for (const auto& path : older) std::filesystem::remove_all(path);
  }

  /// Records the order of events in different files.
  class Watched final : public ForwardingTransport {
   public:
    Watched(std::unique_ptr<Transport> inner, KilledFiles& files)
        : ForwardingTransport(std::move(inner)), files_(files) {}
    void run(const WritePlan& mine) override {
      ForwardingTransport::run(mine);
      files_.catch_up();
    }
    void run_alone(const WritePlan& mine) override {
      ForwardingTransport::run_alone(mine);
      files_.catch_up();
    }
    void put(std::uint64_t offset, std::span<const std::byte> bytes) override {
      ForwardingTransport::put(offset, bytes);
      files_.catch_up();
    }
    void resize(std::uint64_t size) override {
      ForwardingTransport::resize(size);
      files_.catch_up();
    }
    void reserve(std::uint64_t from, std::uint64_t to) override {
      ForwardingTransport::reserve(from, to);
      files_.catch_up();
    }

   private:
    KilledFiles& files_;
  };

  void catch_up() {
    for (const auto& [file, trace] : traces_) {
      for (std::size_t& known = known_[file]; known < trace->events.size(); ++known) order_.push_back({file, known});
    }
  }

  std::map<std::string, std::shared_ptr<Trace>> traces_;
  std::map<std::string, std::size_t> known_;
  std::vector<std::pair<std::string, std::size_t>> order_;  ///< file and number of each event, in order
};

/// Expects that the state after a kill is whole or absent at every moment, and whole at the end. `is_whole` opens the
/// files; its errors for absent files are expected.
inline void expect_whole_or_absent(const KilledFiles& killed, const std::string& first, const std::string& other,
                                   const std::function<bool(const std::string& when)>& is_whole) {
  bool seen = false;
  killed.replay(first, other, [&](const std::string& when) {
    bool whole = false;
    try {
      whole = is_whole(when);
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::bad_file || error.kind() == ErrorKind::missing) << when << error.what();
    }
    EXPECT_TRUE(whole || !seen) << when;
    seen = seen || whole;
  });
  EXPECT_TRUE(seen);
}

}  // namespace quire::test
