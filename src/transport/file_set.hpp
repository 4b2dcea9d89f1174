#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "quire/spi/transport/transport.hpp"

namespace quire {

/// Moves the bytes of files that belong together: every address selects its file (plan/member.hpp). Member 0 uses the
/// transport of the whole communicator, each other member a transport of this rank alone, opened at its first use.
class FileSet final : public Transport {
 public:
  /// Opens a member other than 0 for this rank alone.
  using OpenMember = std::function<std::unique_ptr<Transport>(std::uint64_t member)>;

  FileSet(std::unique_ptr<Transport> first, OpenMember open) : first_(std::move(first)), open_(std::move(open)) {}

  [[nodiscard]] bool is_collective() const noexcept override { return first_->is_collective(); }
  void run(const WritePlan& mine) override;
  void run(const ReadPlan& mine) override;
  [[nodiscard]] bool comes_again() const noexcept override { return first_->comes_again(); }
  void run_alone(const WritePlan& mine) override;
  void run_alone(const ReadPlan& mine) override;
  [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) override;
  void put(std::uint64_t offset, std::span<const std::byte> bytes) override;
  /// Of member 0.
  [[nodiscard]] std::uint64_t size() override { return first_->size(); }
  /// Size 0 also truncates all members that this rank has opened.
  void resize(std::uint64_t size) override;
  void reserve(std::uint64_t from, std::uint64_t to) override;
  /// Syncs member 0 and all others that this rank has opened.
  void sync(bool directory) override;
  void close() override;
  [[nodiscard]] const TransportCounters& counters() const noexcept override;

 private:
  [[nodiscard]] Transport& member(std::uint64_t number);
  template <class Plan>
  void run_split(const Plan& mine, bool alone);

  std::unique_ptr<Transport> first_;
  OpenMember open_;
  std::map<std::uint64_t, std::unique_ptr<Transport>> others_;
  mutable TransportCounters counters_;
};

}  // namespace quire
