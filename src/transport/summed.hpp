#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "quire/transport/transport.hpp"
#include "transport/forwarding.hpp"

namespace quire {

/// Bytes that a rank has written in one piece, and their XXH3-64.
struct SummedExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;
};

/// Sums up what plans write while another transport moves it: ready bytes where they lie, others as their encoder makes
/// them. What is written over later, by a single small write or a plan, is not summed any more.
class SummedTransport final : public ForwardingTransport {
 public:
  explicit SummedTransport(std::unique_ptr<Transport> inner) : ForwardingTransport(std::move(inner)) {}

  void run(const WritePlan& mine) override;
  void run_alone(const WritePlan& mine) override;
  using ForwardingTransport::run;
  using ForwardingTransport::run_alone;
  void put(std::uint64_t offset, std::span<const std::byte> bytes) override;

  /// Independent. What was written so far is told; or is void, for its step has failed.
  void keep();
  void drop();
  /// Independent. The sums of what is told, by rising offsets.
  [[nodiscard]] std::vector<SummedExtent> extents() const;

 private:
  class Encoding;
  [[nodiscard]] WritePlan watched(const WritePlan& mine);
  void forget(std::uint64_t offset, std::uint64_t length);

  struct Sum {
    std::uint64_t length = 0;
    std::shared_ptr<std::uint64_t> hash;
    bool is_told = false;
  };
  std::map<std::uint64_t, Sum> sums_;  ///< by offset
};

}  // namespace quire
