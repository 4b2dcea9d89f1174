#include "transport/summed.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "quire/base/error.hpp"
#include "quire/spi/plan/watched_source.hpp"

namespace quire {

/// Hashes the output of another encoder, piece by piece.
class SummedTransport::Encoding final : public Encoder {
 public:
  Encoding(std::shared_ptr<Encoder> inner, std::vector<Sum> pieces)
      : inner_(std::move(inner)), pieces_(std::move(pieces)), state_(XXH3_createState()) {
    if (!state_ || XXH3_64bits_reset(state_.get()) != XXH_OK) {
      throw Error(ErrorKind::memory, "there is no memory for a checksum");
    }
  }

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override {
    const std::size_t made = inner_->encode(position, out);
    std::span<const std::byte> rest = out.first(std::min(made, out.size()));
    while (!rest.empty() && next_ < pieces_.size()) {
      const Sum& piece = pieces_[next_];
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), piece.length - hashed_));
      XXH3_64bits_update(state_.get(), rest.data(), taken);
      rest = rest.subspan(taken);
      hashed_ += taken;
      if (hashed_ < piece.length) break;
      *piece.hash = XXH3_64bits_digest(state_.get());
      XXH3_64bits_reset(state_.get());
      hashed_ = 0;
      ++next_;
    }
    return made;
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::shared_ptr<Encoder> inner_;
  std::vector<Sum> pieces_;
  std::size_t next_ = 0;      ///< the piece whose bytes come next
  std::uint64_t hashed_ = 0;  ///< its bytes so far
  std::unique_ptr<XXH3_state_t, Free> state_;
};

void SummedTransport::run(const WritePlan& mine) { inner().run(watched(mine)); }

void SummedTransport::run_alone(const WritePlan& mine) { inner().run_alone(watched(mine)); }

void SummedTransport::put(std::uint64_t offset, std::span<const std::byte> bytes) {
  forget(offset, bytes.size());
  inner().put(offset, bytes);
}

std::uint64_t SummedTransport::piece_at(std::uint64_t offset, std::uint64_t end) const {
  return std::min(end - offset, cell_ == 0 ? end - offset : cell_ - offset % cell_);
}

WritePlan SummedTransport::watched(const WritePlan& mine) {
  WritePlan plan = mine;
  for (WriteExtent& extent : plan.extents) {
    forget(extent.offset, extent.length);
    const std::byte* const ready = ready_memory(extent);
    const std::uint64_t end = extent.offset + extent.length;
    std::vector<Sum> pieces;
    for (std::uint64_t at = extent.offset; at < end; at += pieces.back().length) {
      const std::uint64_t length = piece_at(at, end);
      Sum& sum = pieces.emplace_back(Sum{.length = length, .hash = std::make_shared<std::uint64_t>(0)});
      if (ready != nullptr) *sum.hash = XXH3_64bits(ready + (at - extent.offset), static_cast<std::size_t>(length));
      sums_.insert_or_assign(at, sum);
    }
    if (ready == nullptr) {
      auto& encoder = std::get<std::shared_ptr<Encoder>>(extent.source);
      encoder = std::make_shared<Encoding>(std::move(encoder), std::move(pieces));
    }
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
