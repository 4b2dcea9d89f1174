#pragma once

#include <memory>
#include <utility>

#include "quire/spi/transport/transport.hpp"

namespace quire {

/// Forwards every call to another transport: the base of transports that observe or inject faults.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] bool is_collective() const noexcept override { return inner_->is_collective(); }
  void run(const WritePlan& mine) override { inner_->run(mine); }
  void run(const ReadPlan& mine) override { inner_->run(mine); }
  [[nodiscard]] bool comes_again() const noexcept override { return inner_->comes_again(); }
  void run_alone(const WritePlan& mine) override { inner_->run_alone(mine); }
  void run_alone(const ReadPlan& mine) override { inner_->run_alone(mine); }
  [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) override {
    return inner_->get(offset, out);
  }
  void put(std::uint64_t offset, std::span<const std::byte> bytes) override { inner_->put(offset, bytes); }
  [[nodiscard]] std::uint64_t size() override { return inner_->size(); }
  void resize(std::uint64_t size) override { inner_->resize(size); }
  void reserve(std::uint64_t from, std::uint64_t to) override { inner_->reserve(from, to); }
  void sync(bool directory) override { inner_->sync(directory); }
  void close() override { inner_->close(); }
  [[nodiscard]] const TransportCounters& counters() const noexcept override { return inner_->counters(); }

 protected:
  [[nodiscard]] Transport& inner() noexcept { return *inner_; }

 private:
  std::unique_ptr<Transport> inner_;
};

}  // namespace quire
