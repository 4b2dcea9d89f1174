#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/header.hpp"
#include "quire/base/error.hpp"
#include "quire/format/streams.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::sion {

/// Where the chunks of a physical file are: specs/sion.md section 1.4. The same for readers and writers.
struct ChunkMap {
  std::uint64_t data = 0;             ///< where the first block begins
  std::uint64_t skip = 0;             ///< from block to block
  std::vector<std::uint64_t> starts;  ///< of each task in the first block
  std::vector<std::uint64_t> spaces;  ///< of each task in every block
};

/// Throws bad_file errors for sizes below 0 and for sums beyond 64 bits.
[[nodiscard]] ChunkMap chunk_map(const Header& header);

/// Whose bytes merged streams hold, kept behind the end of a physical file: for each task that collected others' bytes
/// runs of them, in the order of its stream. The reference never looks there.
struct Origins {
  struct Collector {
    std::uint64_t task = 0;  ///< index in the file
    std::vector<StreamOrigin> runs;
  };
  std::vector<Collector> collectors;
};
[[nodiscard]] std::vector<std::byte> print_origins(const Origins& origins);

/// Throws a memory error if so many things of so many bytes, named by `what`, take more than the budget. A file with
/// holes announces much and costs nothing.
void require_memory(std::uint64_t count, std::uint64_t bytes, std::uint64_t budget, const std::string& what);

/// One physical file of a set, read and checked.
class PhysicalFile {
 public:
  struct Options {
    bool lenient = false;
    std::uint64_t memory_budget = 0;
    bool cut = false;     ///< a damaged second metadata block is kept in mind instead of thrown: see damage()
    bool merged = false;  ///< nobody asks whose bytes merged streams hold
  };
  /// The bytes of this file alone. Throws bad_file errors, and memory errors for more tasks than the budget allows; a
  /// file that was not closed is none yet.
  PhysicalFile(std::shared_ptr<ByteSource> bytes, const Options& options);

  [[nodiscard]] const Header& header() const noexcept { return header_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return header_.ranks.size(); }
  [[nodiscard]] const ChunkMap& map() const noexcept { return map_; }
  /// Throws a bad_file error if the writer has not closed the file.
  void require_closed() const;
  [[nodiscard]] bool is_closed() const noexcept { return header_.second != 0 && !is_found_; }

  /// Reads and checks the second metadata block; once.
  void read_second();
  /// Looks for that block at the end of a file that was not closed: the header tells of it last. `all_tasks`: of the
  /// set, whose table may stand behind it. True if it is there and whole; then has_sizes() is.
  [[nodiscard]] bool find_second(std::uint64_t all_tasks);
  /// What is wrong with that block, if that was to be no error: then only left() tells of streams.
  [[nodiscard]] const std::optional<Error>& damage() const noexcept { return damage_; }
  /// Whether it is read and whole: only then the next three know anything.
  [[nodiscard]] bool has_sizes() const noexcept { return second_read_; }
  /// How many chunks a task has used, and the bytes in all of them.
  [[nodiscard]] std::uint64_t count(std::uint64_t task) const { return counts_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] std::uint64_t bytes(std::uint64_t task) const { return sums_[static_cast<std::size_t>(task)]; }
  /// The used parts of its chunks, none of them empty.
  [[nodiscard]] std::vector<Extent> chunks(std::uint64_t task) const;
  /// What chunks could hold of a file that was not closed: those that lie in the file, whole.
  [[nodiscard]] std::vector<Extent> possible_chunks(std::uint64_t task) const;

  /// What is still there of a task's stream in a file that is cut, or whose second metadata block is damaged.
  struct Left {
    std::vector<Extent> chunks;  ///< none of them empty
    std::uint64_t lost = 0;      ///< bytes of its chunks that are not there; as many as they could hold where the file
                                 ///< does not say how many they were
    bool is_known = true;        ///< the file says it of all chunks
  };
  [[nodiscard]] Left left(std::uint64_t task) const;

  /// Entries of the table that leads a task of the set to its file and index: `entries` of them, no more and no fewer.
  struct Place {
    std::uint64_t file = 0;
    std::uint64_t task = 0;
  };
  [[nodiscard]] std::vector<Place> mapping() const;
  /// Whose bytes merged streams hold, if the file remembers.
  [[nodiscard]] const std::optional<Origins>& origins() const noexcept { return origins_; }
  /// Whether the header says that the file does, and it no longer does.
  [[nodiscard]] bool has_forgotten() const noexcept { return header_.must_remember() && !origins_; }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::shared_ptr<ByteSource> source() const noexcept { return bytes_; }

 private:
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::uint64_t length) const;
  void read_arrays();
  void read_end();
  void check_second() const;
  void check_block(std::uint64_t block, std::span<const std::byte> entries);
  void check_overrun(std::uint64_t block, std::uint64_t task, std::uint64_t used) const;
  void read_origins(std::uint64_t end);
  [[nodiscard]] std::optional<Origins> find_origins(std::uint64_t end) const;
  [[nodiscard]] bool ends_at(std::uint64_t second_end, std::uint64_t end) const;
  [[nodiscard]] std::uint64_t second_bytes() const;
  void read_second_strictly();
  /// How many blocks there seem to be, if one of the two numbers that tell it can be true; 0 if none can.
  [[nodiscard]] std::uint64_t blocks_left() const;
  [[nodiscard]] std::int64_t entry(std::uint64_t block, std::uint64_t task) const;
  /// Numbers of the second metadata block as far as they are there and can be true.
  [[nodiscard]] std::optional<std::uint64_t> number_left(std::uint64_t at, std::uint64_t least,
                                                         std::uint64_t most) const;

  std::shared_ptr<ByteSource> bytes_;
  Options options_;
  std::uint64_t size_ = 0;
  Header header_;
  ChunkMap map_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::byte> entries_;  ///< the bytes of every chunk as they stand in the file, unless they are many
  std::optional<Origins> origins_;
  bool second_read_ = false;
  bool is_found_ = false;  ///< that block, though the header does not tell of it
  std::optional<Error> damage_;
};

}  // namespace quire::sion
