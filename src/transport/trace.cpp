#include "transport/trace.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "quire/spi/base/checked.hpp"
#include "transport/forwarding.hpp"

namespace quire {
namespace {

using What = TraceEvent::What;

/// Records the output of another encoder.
class TracingEncoder final : public Encoder {
 public:
  TracingEncoder(std::shared_ptr<Encoder> inner, std::shared_ptr<Trace> trace, std::size_t event)
      : inner_(std::move(inner)), trace_(std::move(trace)), event_(event) {}

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    const std::size_t made = inner_->encode(position, out);
    auto& bytes = trace_->events[event_].bytes;
    bytes.insert(bytes.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(made, out.size())));
    return made;
  }

 private:
  std::shared_ptr<Encoder> inner_;
  std::shared_ptr<Trace> trace_;
  std::size_t event_;
};

class TracedTransport final : public ForwardingTransport {
 public:
  TracedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<Trace> trace)
      : ForwardingTransport(std::move(inner)), trace_(std::move(trace)) {}

  void run(const WritePlan& mine) override { inner().run(write_down(mine)); }
  void run(const ReadPlan& mine) override {
    write_down(mine);
    inner().run(mine);
  }
  void run_alone(const WritePlan& mine) override { inner().run_alone(write_down(mine)); }
  void run_alone(const ReadPlan& mine) override {
    write_down(mine);
    inner().run_alone(mine);
  }
  [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) override {
    add(What::read, offset, out.size());
    return inner().get(offset, out);
  }
  void put(std::uint64_t offset, std::span<const std::byte> bytes) override {
    add(What::write, offset, bytes.size());
    keep(bytes);
    inner().put(offset, bytes);
  }
  void resize(std::uint64_t size) override {
    add(What::resize, size, 0);
    inner().resize(size);
  }
  void reserve(std::uint64_t from, std::uint64_t to) override {
    add(What::reserve, to, to - std::min(from, to));
    inner().reserve(from, to);
  }
  void sync(bool directory) override {
    add(What::sync, 0, directory ? 1 : 0);
    inner().sync(directory);
  }
  void close() override {
    add(What::close, 0, 0);
    inner().close();
  }

 private:
  void add(What what, std::uint64_t offset, std::uint64_t length) {
    trace_->events.push_back({what, offset, length, {}});
  }

  /// Ready bytes of the last event.
  void keep(std::span<const std::byte> bytes) {
    if (trace_->keep_bytes) trace_->events.back().bytes.assign(bytes.begin(), bytes.end());
  }

  /// The same plan with encoders that record their output.
  [[nodiscard]] WritePlan write_down(const WritePlan& mine) {
    WritePlan plan = mine;
    for (WriteExtent& extent : plan.extents) {
      add(What::write, extent.offset, extent.length);
      if (const auto* memory = std::get_if<const std::byte*>(&extent.source)) {
        keep({*memory, static_cast<std::size_t>(extent.length)});
      } else if (trace_->keep_bytes) {
        extent.source = std::make_shared<TracingEncoder>(std::get<std::shared_ptr<Encoder>>(extent.source), trace_,
                                                         trace_->events.size() - 1);
      }
    }
    return plan;
  }

  void write_down(const ReadPlan& mine) {
    for (const ReadExtent& extent : mine.extents) add(What::read, extent.offset, extent.length);
  }

  std::shared_ptr<Trace> trace_;
};

}  // namespace

std::unique_ptr<Transport> traced(std::unique_ptr<Transport> inner, std::shared_ptr<Trace> trace) {
  return std::make_unique<TracedTransport>(std::move(inner), std::move(trace));
}

std::vector<std::byte> replay(const Trace& trace, std::size_t count, std::vector<std::byte> before) {
  if (!trace.keep_bytes) throw Error(ErrorKind::usage, "a trace without bytes cannot be replayed");
  std::vector<std::byte> file = std::move(before);
  for (std::size_t i = 0; i < std::min(count, trace.events.size()); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.what == What::resize) file.resize(static_cast<std::size_t>(event.offset));
    if (event.what != What::write) continue;
    const auto end = static_cast<std::size_t>(checked_add(event.offset, event.bytes.size()));
    if (file.size() < end && !event.bytes.empty()) file.resize(end);
    std::ranges::copy(event.bytes, file.begin() + static_cast<std::ptrdiff_t>(event.offset));
  }
  return file;
}

}  // namespace quire
