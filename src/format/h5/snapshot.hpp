#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/h5/byte_map.hpp"
#include "format/h5/generation.hpp"
#include "format/h5/read_ahead.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// A file whose metadata a writer may overwrite while they are read: a sequence lock. After each read it is looked up
/// whether a publication has begun to overwrite; then the read fails, and look() begins again. So HDF5 never gets bytes
/// of two publications: of a structure that contradicts itself it may keep parts open until the program ends.
///
/// HDF5 takes milliseconds for the index of some thousand steps, and a fast writer publishes more often. Therefore a
/// repeated look copies all that the look before has asked for in one go, which takes a small part of that time, and
/// HDF5 then reads the copy.
class Snapshot final : public ByteSource {
 public:
  /// How long a look is repeated.
  static constexpr std::chrono::seconds usual_patience{10};

  /// Copies and journals take at most `budget` bytes.
  Snapshot(std::shared_ptr<ByteSource> file, std::uint64_t budget, std::chrono::milliseconds patience = usual_patience);

  /// As of the publication that is looked at.
  [[nodiscard]] std::uint64_t size() override { return size_; }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;

  /// Runs `first`, which reads; if one of its reads has failed because the file has changed since the last look began,
  /// goes on to the present publication and runs `again`, until no read fails so. What the last one throws is thrown.
  /// Throws conflict errors if the writer was always faster.
  void look(const std::function<void()>& first, const std::function<void()>& again);
  /// The same for the first look.
  void look(const std::function<void()>& work) { look(work, work); }

 private:
  class Guarded;
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };

  /// Goes on to the present publication. False if another one has come since.
  [[nodiscard]] bool renew();
  void copy_asked();
  /// Copies what was read before to `out`, if it was.
  [[nodiscard]] bool recall(std::uint64_t offset, std::span<std::byte> out) const;
  void keep(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Whether what was read before the call belongs to the publication that is looked at.
  [[nodiscard]] bool is_present();
  [[nodiscard]] ReadBytes file_reader();

  std::shared_ptr<ByteSource> file_;
  std::uint64_t budget_;
  std::chrono::milliseconds patience_;
  std::optional<ReadAhead> ahead_;
  std::uint64_t size_ = 0;
  Generation generation_;
  std::uint64_t quiet_size_ = 0;       ///< that the file had when is_present() was true last
  std::vector<std::byte> superblock_;  ///< as it stands in the file
  bool has_changed_ = false;           ///< since renew()
  std::vector<Extent> asked_;          ///< of the file in this look
  std::uint64_t asked_bytes_ = 0;
  ByteMap copied_;
  /// What was read last. What a check has read HDF5 gets without a further read, which might fail: where the second
  /// part of an object header cannot be read, it forgets memory, of which it complains at exit.
  std::array<Piece, 32> recent_;
  std::size_t next_ = 0;  ///< the one that was read longest ago
};

}  // namespace quire::h5
