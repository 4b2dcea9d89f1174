#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/hdf5/image/byte_map.hpp"
#include "format/hdf5/image/generation.hpp"
#include "format/hdf5/image/read_ahead.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::hdf5 {

/// A file whose metadata a writer may overwrite while they are read, with a sequence lock. After each read it is
/// checked whether a publication has begun to overwrite; then the read fails, and look() starts again. So HDF5 never
/// gets bytes of two publications: if a structure contradicts itself, HDF5 may keep parts of it open until the program
/// ends.
///
/// HDF5 takes milliseconds for the index of some thousand steps, and a fast writer publishes more often. Therefore a
/// repeated look first copies all extents that the previous look requested, which is much faster, and HDF5 then reads
/// the copy.
class Snapshot final : public ByteSource {
 public:
  /// How long a look is repeated.
  static constexpr std::chrono::seconds usual_patience{10};

  /// Copies and journals take at most `budget` bytes.
  Snapshot(std::shared_ptr<ByteSource> file, std::uint64_t budget, std::chrono::milliseconds patience = usual_patience);

  /// The size at the current publication.
  [[nodiscard]] std::uint64_t size() override { return size_; }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

  /// Runs `first`, which reads. If one of its reads failed because the file has changed since the last look began,
  /// moves to the latest publication and runs `again`, until no read fails for this reason. Throws what the last run
  /// throws, and a conflict error if the writer was always faster.
  void look(const std::function<void()>& first, const std::function<void()>& again);
  /// The same for the first look.
  void look(const std::function<void()>& work) { look(work, work); }

 private:
  class Guarded;
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };

  /// Moves to the latest publication. Returns false if there was another one meanwhile.
  [[nodiscard]] bool renew();
  void copy_asked();
  /// Copies bytes that were read before to `out`. Returns false if they were not.
  [[nodiscard]] bool recall(std::uint64_t offset, std::span<std::byte> out) const;
  void keep(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Whether bytes read before the call belong to the current publication.
  [[nodiscard]] bool is_present();
  [[nodiscard]] ReadBytes file_reader();

  std::shared_ptr<ByteSource> file_;
  std::uint64_t budget_;
  std::chrono::milliseconds patience_;
  std::optional<ReadAhead> ahead_;
  std::uint64_t size_ = 0;
  Generation generation_;
  std::uint64_t quiet_size_ = 0;       ///< size of the file when is_present() last returned true
  std::vector<std::byte> superblock_;  ///< as stored in the file
  bool has_changed_ = false;           ///< since renew()
  std::vector<Extent> asked_;          ///< read from the file in this look
  std::uint64_t asked_bytes_ = 0;
  ByteMap copied_;
  /// The most recent reads. HDF5 gets bytes that a check has read from here, because another read might fail: if the
  /// second part of an object header cannot be read, HDF5 leaks memory and reports that at exit.
  std::array<Piece, 32> recent_;
  std::size_t next_ = 0;  ///< the oldest one
};

}  // namespace quire::hdf5
