#include "transport/summed.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "quire/base/error.hpp"

namespace quire {

/// Hashes the output of another encoder.
class SummedTransport::Encoding final : public Encoder {
 public:
  Encoding(std::shared_ptr<Encoder> inner, std::shared_ptr<std::uint64_t> hash)
      : inner_(std::move(inner)), hash_(std::move(hash)), state_(XXH3_createState()) {
    if (!state_ || XXH3_64bits_reset(state_.get()) != XXH_OK) {
      throw Error(ErrorKind::memory, "there is no memory for a checksum");
    }
  }

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    const std::size_t made = inner_->encode(position, out);
    XXH3_64bits_update(state_.get(), out.data(), std::min(made, out.size()));
    *hash_ = XXH3_64bits_digest(state_.get());
    return made;
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::shared_ptr<Encoder> inner_;
  std::shared_ptr<std::uint64_t> hash_;
  std::unique_ptr<XXH3_state_t, Free> state_;
};

void SummedTransport::run(const WritePlan& mine) { inner().run(watched(mine)); }

void SummedTransport::run_alone(const WritePlan& mine) { inner().run_alone(watched(mine)); }

void SummedTransport::put(std::uint64_t offset, std::span<const std::byte> bytes) {
  forget(offset, bytes.size());
  inner().put(offset, bytes);
}

WritePlan SummedTransport::watched(const WritePlan& mine) {
  WritePlan plan = mine;
  for (WriteExtent& extent : plan.extents) {
    forget(extent.offset, extent.length);
    Sum sum{.length = extent.length, .hash = std::make_shared<std::uint64_t>(0), .is_kept = false};
    if (const auto* ready = std::get_if<const std::byte*>(&extent.source)) {
      *sum.hash = XXH3_64bits(*ready, static_cast<std::size_t>(extent.length));
    } else {
      auto& encoder = std::get<std::shared_ptr<Encoder>>(extent.source);
      encoder = std::make_shared<Encoding>(std::move(encoder), sum.hash);
    }
    if (extent.length > 0) sums_.insert_or_assign(extent.offset, std::move(sum));
  }
  return plan;
}

void SummedTransport::forget(std::uint64_t offset, std::uint64_t length) {
  auto next = sums_.upper_bound(offset);
  if (next != sums_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.length > offset) next = before;
  }
  while (next != sums_.end() && next->first < offset + length) next = sums_.erase(next);
}

void SummedTransport::keep() {
  for (auto& [offset, sum] : sums_) sum.is_kept = true;
}

void SummedTransport::drop() {
  std::erase_if(sums_, [](const auto& one) { return !one.second.is_kept; });
}

std::vector<SummedExtent> SummedTransport::extents() const {
  std::vector<SummedExtent> all;
  for (const auto& [offset, sum] : sums_) {
    if (sum.is_kept) all.push_back({offset, sum.length, *sum.hash});
  }
  return all;
}

}  // namespace quire
