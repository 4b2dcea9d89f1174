#include "comm/serial.hpp"

#include <algorithm>

namespace quire {

void SerialBackend::prefix(std::span<std::uint64_t> words, Deadline) { std::ranges::fill(words, 0); }

void SerialBackend::sum_and_prefix(std::span<std::uint64_t>, std::span<std::uint64_t> lower, std::span<std::uint64_t>,
                                   Deadline) {
  std::ranges::fill(lower, 0);
}

void SerialBackend::prefix_maximum(std::span<std::uint64_t> words, Deadline) { std::ranges::fill(words, 0); }

std::vector<Parcel> SerialBackend::exchange(std::vector<Parcel> parcels, Deadline) { return parcels; }

void SerialBackend::broadcast(std::span<std::byte>, int root, Deadline) {
  if (root != 0) {
    throw Error(ErrorKind::usage, "rank " + std::to_string(root) + " cannot broadcast: there is only rank 0");
  }
}

std::shared_ptr<CommBackend> SerialBackend::split(int, int) { return std::make_shared<SerialBackend>(); }

std::shared_ptr<CommBackend> SerialBackend::split_by_node() { return std::make_shared<SerialBackend>(); }

}  // namespace quire
