#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/mpi_error.hpp"

namespace quire {

/// An operation that has been posted to MPI and is not complete: MPI may use its buffers until then. An abandoned
/// operation must outlive the communicator, because MPI cannot cancel it.
class MpiPending {
 public:
  MpiPending() = default;
  MpiPending(const MpiPending&) = delete;
  MpiPending& operator=(const MpiPending&) = delete;
  virtual ~MpiPending() = default;

  /// Progresses as far as possible without waiting; true when the operation is complete on this rank.
  [[nodiscard]] virtual bool advance() = 0;
};

/// Nonblocking collectives of MPI that are posted together, and the memory that they use.
class MpiCollectives final : public MpiPending {
 public:
  explicit MpiCollectives(std::string operation) : operation_(std::move(operation)) {}

  /// A copy that lives as long as this object.
  template <class Item>
  [[nodiscard]] std::span<Item> hold(std::span<const Item> items) {
    const auto bytes = std::as_bytes(items);
    std::vector<std::byte>& memory = memory_.emplace_back(bytes.begin(), bytes.end());
    return {reinterpret_cast<Item*>(memory.data()), items.size()};
  }
  /// The same without values.
  template <class Item>
  [[nodiscard]] std::span<Item> room(std::size_t items) {
    std::vector<std::byte>& memory = memory_.emplace_back(items * sizeof(Item));
    return {reinterpret_cast<Item*>(memory.data()), items};
  }
  /// `post` calls a nonblocking function of MPI with the request that it gets.
  template <class Post>
  void post(Post&& post) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(operation_, post(&request));
    requests_.push_back(request);
  }

  [[nodiscard]] bool advance() override {
    int done = 0;
    check_mpi(operation_,
              MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) requests_.clear();
    return done != 0;
  }
  [[nodiscard]] bool is_pending() const noexcept { return !requests_.empty(); }
  [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
  /// After completion: releases the memory of all spans.
  void release() { memory_.clear(); }

 private:
  std::string operation_;
  std::deque<std::vector<std::byte>> memory_;
  std::vector<MPI_Request> requests_;
};

}  // namespace quire
