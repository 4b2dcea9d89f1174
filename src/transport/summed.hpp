#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "quire/spi/transport/transport.hpp"
#include "transport/forwarding.hpp"

namespace quire {

/// Bytes that a rank has written in one piece, and their XXH3-64.
struct SummedExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
};

/// The bytes of a cell, if the pieces of ranks are cut and joined.
inline constexpr std::uint64_t sum_cell_bytes = std::uint64_t{1} << 20;

/// Hashes the bytes of plans while another transport moves them: ready bytes in memory, others as they are encoded.
/// Extents that are overwritten later, by a put() or a plan, are dropped.
class SummedTransport final : public ForwardingTransport {
 public:
  /// With a `cell`, extents are cut at the multiples of this number of bytes.
  explicit SummedTransport(std::unique_ptr<Transport> inner, std::uint64_t cell = 0)
      : ForwardingTransport(std::move(inner)), cell_(cell) {}

  void run(const WritePlan& mine) override;
  void run_alone(const WritePlan& mine) override;
  using ForwardingTransport::run;
  using ForwardingTransport::run_alone;
  void put(std::uint64_t offset, std::span<const std::byte> bytes) override;

  /// Independent. Keeps the sums of what was written so far, or drops them because the step has failed.
  void keep();
  void drop();
  [[nodiscard]] std::uint64_t cell() const noexcept { return cell_; }
  /// Independent. The kept sums, by rising offsets.
  [[nodiscard]] std::vector<SummedExtent> extents() const;

 private:
  class Encoding;
  struct Sum {
    std::uint64_t length = 0;
    std::shared_ptr<std::uint64_t> hash;
    bool is_kept = false;
  };

  [[nodiscard]] WritePlan watched(const WritePlan& mine);
  /// The bytes of an extent from `offset` to its end, or to the end of the cell.
  [[nodiscard]] std::uint64_t piece_at(std::uint64_t offset, std::uint64_t end) const;
  void forget(std::uint64_t offset, std::uint64_t length);

  std::uint64_t cell_;
  std::map<std::uint64_t, Sum> sums_;  ///< by offset
};

}  // namespace quire
