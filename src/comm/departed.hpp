#pragma once

#include "quire/comm/comm.hpp"

namespace quire {

/// The remains of a released communicator: rank and size. Every collective throws a usage error.
class DepartedBackend final : public CommBackend {
 public:
  DepartedBackend(int rank, int size) : rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  void barrier(Deadline) override { refuse(); }
  void sum(std::span<std::uint64_t>, Deadline) override { refuse(); }
  void maximum(std::span<std::uint64_t>, Deadline) override { refuse(); }
  void prefix(std::span<std::uint64_t>, Deadline) override { refuse(); }
  void sum_and_prefix(std::span<std::uint64_t>, std::span<std::uint64_t>, std::span<std::uint64_t>, Deadline) override {
    refuse();
  }
  void prefix_maximum(std::span<std::uint64_t>, Deadline) override { refuse(); }
  void broadcast(std::span<std::byte>, int, Deadline) override { refuse(); }
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel>, Deadline) override { refuse(); }
  [[nodiscard]] std::shared_ptr<CommBackend> split(int, int) override { refuse(); }
  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorKind::usage, "the communicator was released, which happens when its file is closed");
  }

  int rank_;
  int size_;
};

}  // namespace quire
