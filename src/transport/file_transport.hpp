#pragma once

#include <memory>

#include "transport/raw_file.hpp"
#include "transport/staging.hpp"

namespace quire {

/// Moves plans piece by piece through a raw file, independently on each rank. The base of the collective transports.
class FileTransport : public Transport {
 public:
  explicit FileTransport(std::unique_ptr<RawFile> file);

  [[nodiscard]] bool is_collective() const noexcept override { return false; }
  void run(const WritePlan& mine) override { run_alone(mine); }
  void run(const ReadPlan& mine) override { run_alone(mine); }
  void run_alone(const WritePlan& mine) final;
  void run_alone(const ReadPlan& mine) final;
  [[nodiscard]] std::size_t get(std::uint64_t offset, std::span<std::byte> out) final;
  void put(std::uint64_t offset, std::span<const std::byte> bytes) final;
  [[nodiscard]] std::uint64_t size() final;
  void resize(std::uint64_t size) final;
  void reserve(std::uint64_t from, std::uint64_t to) final;
  void sync(bool directory) final;
  void close() override;
  [[nodiscard]] const TransportCounters& counters() const noexcept final { return file_->counters(); }

 protected:
  [[nodiscard]] RawFile& file() noexcept { return *file_; }
  [[nodiscard]] Staging& staging() noexcept { return staging_; }

 private:
  std::unique_ptr<RawFile> file_;
  Staging staging_;
};

}  // namespace quire
