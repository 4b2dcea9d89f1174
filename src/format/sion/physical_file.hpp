#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sion/header.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/streams.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::sion {

/// The places of the chunks of a physical file, for readers and writers: specs/sion.md section 1.4.
struct ChunkMap {
  std::uint64_t data = 0;             ///< offset of the first block
  std::uint64_t skip = 0;             ///< distance of blocks
  std::vector<std::uint64_t> starts;  ///< of each task in the first block
  std::vector<std::uint64_t> spaces;  ///< of each task in every block
};

/// Throws a bad_file error for negative sizes and for sums beyond 64 bits.
[[nodiscard]] ChunkMap chunk_map(const Header& header);

/// The origins of the bytes in merged streams, stored after the end of a physical file: for each collector the runs of
/// bytes of its group, in the order of its stream. The reference never reads them.
struct Origins {
  struct Collector {
    std::uint64_t task = 0;  ///< index in the file
    std::vector<StreamOrigin> runs;
  };
  std::vector<Collector> collectors;
};
[[nodiscard]] std::vector<std::byte> print_origins(const Origins& origins);

/// Throws a memory error if `count` objects of `bytes` bytes, named by `what`, exceed the budget. A small file with
/// holes can declare very large counts.
void require_memory(std::uint64_t count, std::uint64_t bytes, std::uint64_t budget, const std::string& what);

/// One physical file of a set, read and checked.
class PhysicalFile {
 public:
  struct Options {
    bool lenient = false;
    std::uint64_t memory_budget = 0;
    bool cut = false;     ///< a damaged second metadata block is recorded in damage() instead of thrown
    bool merged = false;  ///< the origins of merged streams are not needed
  };
  /// `bytes` are those of this file alone. Throws bad_file errors, and a memory error for more tasks than the budget
  /// allows. A file that was not closed is no error here.
  PhysicalFile(std::shared_ptr<ByteSource> bytes, const Options& options);

  [[nodiscard]] const Header& header() const noexcept { return header_; }
  [[nodiscard]] std::uint64_t tasks() const noexcept { return header_.ranks.size(); }
  [[nodiscard]] const ChunkMap& map() const noexcept { return map_; }
  /// Throws a bad_file error if the writer has not closed the file.
  void require_closed() const;
  [[nodiscard]] bool is_closed() const noexcept { return header_.second != 0 && !is_found_; }

  /// Reads and checks the second metadata block, once.
  void read_second();
  /// Searches the second metadata block at the end of a file that was not closed: its offset is written to the header
  /// last. `all_tasks` is the number of tasks of the set, whose table may follow the block. True if the block is
  /// complete; has_sizes() is true then.
  [[nodiscard]] bool find_second(std::uint64_t all_tasks);
  /// The damage of this block, if it was recorded instead of thrown. Only left() describes streams then.
  [[nodiscard]] const std::optional<Error>& damage() const noexcept { return damage_; }
  /// Whether the block has been read and is complete. The next three functions require it.
  [[nodiscard]] bool has_sizes() const noexcept { return second_read_; }
  /// The number of chunks that a task has used, and the bytes in all of them.
  [[nodiscard]] std::uint64_t count(std::uint64_t task) const { return counts_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] std::uint64_t bytes(std::uint64_t task) const { return sums_[static_cast<std::size_t>(task)]; }
  /// The used parts of its chunks, none of them empty.
  [[nodiscard]] std::vector<Extent> chunks(std::uint64_t task) const;
  /// The chunks of a task in a file that was not closed: all that are inside the file, with their full size.
  [[nodiscard]] std::vector<Extent> possible_chunks(std::uint64_t task) const;

  /// The rest of a task's stream in a file that is cut or has a damaged second metadata block.
  struct Left {
    std::vector<Extent> chunks;  ///< none of them empty
    std::uint64_t lost = 0;      ///< missing bytes of its chunks; the full size of a chunk if the file does not state
                                 ///< its number of bytes
    bool is_known = true;        ///< the file states the number of bytes of all chunks
  };
  [[nodiscard]] Left left(std::uint64_t task) const;

  /// Entries of the table of all tasks: the file of each task of the set and its index in the file.
  struct Place {
    std::uint64_t file = 0;
    std::uint64_t task = 0;
  };
  [[nodiscard]] std::vector<Place> mapping() const;
  /// The origins of the bytes in merged streams, if the file has them.
  [[nodiscard]] const std::optional<Origins>& origins() const noexcept { return origins_; }
  /// Whether the header states that the file has origins, but they are missing.
  [[nodiscard]] bool has_lost_origins() const noexcept { return header_.must_remember() && !origins_; }

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
  /// The probable number of blocks, from one of the two header fields that define it; 0 if neither is possible.
  [[nodiscard]] std::uint64_t blocks_left() const;
  [[nodiscard]] std::int64_t entry(std::uint64_t block, std::uint64_t task) const;
  /// A number of the second metadata block, if it is inside the file and between `least` and `most`.
  [[nodiscard]] std::optional<std::uint64_t> number_left(std::uint64_t at, std::uint64_t least,
                                                         std::uint64_t most) const;

  std::shared_ptr<ByteSource> bytes_;
  Options options_;
  std::uint64_t size_ = 0;
  Header header_;
  ChunkMap map_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::byte> entries_;  ///< the sizes of all chunks as stored in the file, unless they are many
  std::optional<Origins> origins_;
  bool second_read_ = false;
  bool is_found_ = false;  ///< the second block was found without its offset in the header
  std::optional<Error> damage_;
};

}  // namespace quire::sion
