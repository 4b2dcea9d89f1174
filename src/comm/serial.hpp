#pragma once

#include "quire/comm/comm.hpp"

namespace quire {

/// Rank 0 of 1: every collective completes at once.
class SerialBackend final : public CommBackend {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  void barrier(Deadline) override {}
  void sum(std::span<std::uint64_t>, Deadline) override {}
  void maximum(std::span<std::uint64_t>, Deadline) override {}
  void prefix(std::span<std::uint64_t> words, Deadline) override;
  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower, std::span<std::uint64_t> maxima,
                      Deadline) override;
  void prefix_maximum(std::span<std::uint64_t> words, Deadline) override;
  void broadcast(std::span<std::byte> bytes, int root, Deadline) override;
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline) override;
  [[nodiscard]] std::shared_ptr<CommBackend> split(int color, int key) override;
  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override;
};

}  // namespace quire
