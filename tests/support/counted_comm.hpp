#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire::test {

/// A communicator that counts the bytes that a rank receives; a reduction counts its words once.
class CountedBackend final : public CommBackend {
 public:
  explicit CountedBackend(Comm inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

  [[nodiscard]] int rank() const noexcept override { return inner_.rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_.size(); }
  void barrier(Deadline deadline) override { backend().barrier(deadline); }
  void sum(std::span<std::uint64_t> words, Deadline deadline) override {
    count(words.size_bytes());
    backend().sum(words, deadline);
  }
  void maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    count(words.size_bytes());
    backend().maximum(words, deadline);
  }
  void prefix(std::span<std::uint64_t> words, Deadline deadline) override {
    count(words.size_bytes());
    backend().prefix(words, deadline);
  }
  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower, std::span<std::uint64_t> maxima,
                      Deadline deadline) override {
    count(words.size_bytes() + lower.size_bytes() + maxima.size_bytes());
    backend().sum_and_prefix(words, lower, maxima, deadline);
  }
  void prefix_maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    count(words.size_bytes());
    backend().prefix_maximum(words, deadline);
  }
  void broadcast(std::span<std::byte> bytes, int root, Deadline deadline) override {
    if (rank() != root) count(bytes.size());
    backend().broadcast(bytes, root, deadline);
  }
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline deadline) override {
    std::vector<Parcel> got = backend().exchange(std::move(parcels), deadline);
    for (const Parcel& parcel : got) {
      if (parcel.rank != rank()) count(parcel.bytes.size());
    }
    return got;
  }
  [[nodiscard]] std::shared_ptr<CommBackend> split(int color, int key) override { return backend().split(color, key); }
  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override { return backend().split_by_node(); }
  [[nodiscard]] const void* native() const noexcept override { return inner_.backend().native(); }

 private:
  [[nodiscard]] CommBackend& backend() const noexcept { return inner_.backend(); }
  void count(std::size_t bytes) noexcept { received_ += bytes; }

  Comm inner_;
  std::uint64_t received_ = 0;
};

}  // namespace quire::test
