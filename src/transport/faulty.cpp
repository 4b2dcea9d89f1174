#include "transport/faulty.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "transport/forwarding.hpp"

namespace quire {
namespace {

/// Ready memory, which may be moved in parts, as opposed to an encoder or decoder.
template <class Extent>
constexpr bool is_ready(const Extent& extent) {
  if constexpr (requires { extent.source; }) {
    return extent.source.index() == 0;
  } else {
    return extent.target.index() == 0;
  }
}

class FaultyTransport final : public ForwardingTransport {
 public:
  FaultyTransport(std::unique_ptr<Transport> inner, const Fault& fault)
      : ForwardingTransport(std::move(inner)), fault_(fault), left_(fault.after_bytes) {}

  void run(const WritePlan& mine) override {
    disturb(mine, "write", !fault_.on_read && !fault_.on_sync, [&](const WritePlan& plan) { inner().run(plan); });
  }
  void run(const ReadPlan& mine) override {
    disturb(mine, "read", fault_.on_read, [&](const ReadPlan& plan) { inner().run(plan); });
  }
  void run_alone(const WritePlan& mine) override {
    disturb(mine, "write", !fault_.on_read && !fault_.on_sync, [&](const WritePlan& plan) { inner().run_alone(plan); });
  }
  void run_alone(const ReadPlan& mine) override {
    disturb(mine, "read", fault_.on_read, [&](const ReadPlan& plan) { inner().run_alone(plan); });
  }

  [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) override {
    if (!fault_.on_read) return inner().get(offset, out);
    const std::size_t fits = take(out.size());
    if (fits < out.size()) throw failure("read", offset + fits);
    return inner().get(offset, out);
  }

  void put(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (fault_.on_read || fault_.on_sync) return inner().put(offset, bytes);
    const std::size_t fits = take(bytes.size());
    inner().put(offset, bytes.first(fits));
    if (fits < bytes.size()) throw failure("write", offset + fits);
  }

  void sync(bool directory) override {
    if (fault_.on_sync) throw system_error("sync", fault_.error_number);
    inner().sync(directory);
  }

 private:
  [[nodiscard]] Error failure(const char* action, std::uint64_t offset) const {
    return system_error(action, fault_.error_number).at(offset);
  }

  /// The number of bytes, of so many, that still succeed.
  std::size_t take(std::uint64_t bytes) {
    const std::uint64_t fits = std::min(bytes, left_);
    left_ -= fits;
    return static_cast<std::size_t>(fits);
  }

  /// Runs the part of a plan before the fault and fails if that is not all. The inner transport is always called,
  /// because a collective one needs this rank.
  template <class Plan, class Run>
  void disturb(const Plan& mine, const char* action, bool due, Run&& run) {
    if (!due) return run(mine);
    Plan fitting = mine;
    fitting.extents.clear();
    std::optional<std::uint64_t> broken_at;
    for (auto extent : mine.extents) {
      std::size_t fits = take(extent.length);
      if (fits < extent.length) {
        broken_at = extent.offset + fits;
        // Half a decoded extent would look like a damaged file instead of a failing disk.
        if (fault_.on_read && !is_ready(extent)) fits = 0;
      }
      extent.length = fits;
      if (fits > 0) fitting.extents.push_back(std::move(extent));
      if (broken_at) break;
    }
    run(fitting);
    if (broken_at) throw failure(action, *broken_at);
  }

  Fault fault_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<Transport> faulty(std::unique_ptr<Transport> inner, const Fault& fault) {
  return std::make_unique<FaultyTransport>(std::move(inner), fault);
}

}  // namespace quire
