// A writer that continues between the reads of a reader, at the same points in every run of a test.

#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed.hpp"
#include "transport/forwarding.hpp"
#include "transport/trace.hpp"

namespace quire::test {

/// A traced run, and the number of its events when each commit returned.
struct TracedRun {
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  std::vector<std::size_t> committed;

  TracedRun() { trace->keep_bytes = true; }
  /// Traces a file that is opened with these options from now on.
  void wrap(WriteOptions& options) const {
    options.wrapper = [trace = trace](std::unique_ptr<Transport> inner, const std::string&, int) {
      return traced(std::move(inner), trace);
    };
  }
  void note_commit() { committed.push_back(trace->events.size()); }
};

/// When the writer acts: from the reader's read number `first` on, `at_once` parts of its writes before each read.
struct Pace {
  std::size_t first = 0;
  std::size_t at_once = 1;
};

/// Replays a trace on a file that is being read. A write of more than 8 bytes is done in two parts.
class ConcurrentWriter {
 public:
  /// The first `done` events are done; the events up to `last` follow.
  ConcurrentWriter(std::string file, const TracedRun& run, std::size_t done, std::size_t last, Pace pace)
      : file_(std::move(file)), trace_(run.trace), next_(done), last_(last), pace_(pace) {
    std::string bytes;
    for (std::size_t i = 0; i < done; ++i) write_in_part(trace_->events[i], trace_->events[i].length, bytes);
    write_bytes(file_, bytes);
    stream_.open(file_, std::ios::binary | std::ios::in | std::ios::out);
  }

  void wrap(ReadOptions& options) {
    options.wrapper = [this](std::unique_ptr<Transport> inner, const std::string&, int) {
      return std::make_unique<Interrupted>(std::move(inner), *this);
    };
  }

  [[nodiscard]] std::size_t reads() const noexcept { return reads_; }
  /// The number of events that are done.
  [[nodiscard]] std::size_t done() const noexcept { return next_; }

 private:
  class Interrupted final : public ForwardingTransport {
   public:
    Interrupted(std::unique_ptr<Transport> inner, ConcurrentWriter& writer)
        : ForwardingTransport(std::move(inner)), writer_(writer) {}
    void run(const ReadPlan& mine) override {
      writer_.go_on();
      ForwardingTransport::run(mine);
    }
    [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) override {
      writer_.go_on();
      return ForwardingTransport::get(offset, out);
    }
    [[nodiscard]] std::uint64_t size() override {
      writer_.go_on();
      return ForwardingTransport::size();
    }

   private:
    ConcurrentWriter& writer_;
  };

  void go_on() {
    if (reads_++ < pace_.first || next_ >= last_) return;
    for (std::size_t part = 0; part < pace_.at_once && next_ < last_; ++part) act();
  }

  void act() {
    constexpr std::uint64_t atomic_bytes = 8;
    const TraceEvent& event = trace_->events[next_];
    const bool is_divided = event.what == TraceEvent::What::write && event.length > atomic_bytes && !is_half_done_;
    const std::uint64_t size = std::filesystem::file_size(file_);
    if (event.what == TraceEvent::What::write) {
      const std::uint64_t begin = is_half_done_ ? event.length / 2 : 0;
      const std::uint64_t end = is_divided ? event.length / 2 : event.length;
      stream_.seekp(static_cast<std::streamoff>(event.offset + begin));
      stream_.write(reinterpret_cast<const char*>(event.bytes.data()) + begin,
                    static_cast<std::streamsize>(end - begin));
      if (!stream_.flush()) throw std::runtime_error("cannot write " + file_);
    } else if (event.what == TraceEvent::What::resize ||
               (event.what == TraceEvent::What::reserve && event.offset > size)) {
      std::filesystem::resize_file(file_, event.offset);
    }
    is_half_done_ = is_divided;
    if (!is_divided) ++next_;
  }

  std::string file_;
  std::shared_ptr<Trace> trace_;
  std::size_t next_;
  std::size_t last_;
  Pace pace_;
  std::fstream stream_;
  bool is_half_done_ = false;
  std::size_t reads_ = 0;
};

}  // namespace quire::test
