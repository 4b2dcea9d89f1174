#pragma once

#include <cstdint>
#include <optional>

#include "format/hdf5/guard/superblock.hpp"
#include "format/hdf5/image/byte_map.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::hdf5 {

/// The overwrites of one publication, found at the end of a file in which it was interrupted.
struct Journal {
  ByteMap overwrites;
  std::uint64_t start = 0;  ///< offset of the journal: the end of the file after the overwrites
};

/// Encodes overwrites as a journal. Little-endian: magic "QUIREJNL", version (4), number of ranges (4), end of the file
/// without the journal (8); for each range offset (8), length (8) and bytes; XXH64 of all that (8), length of the whole
/// journal (8), magic "LNJERIUQ".
[[nodiscard]] std::vector<std::byte> encode_journal(const std::vector<PublishWrite>& overwrites, std::uint64_t start);

/// The complete journal at the end of a file of `size` bytes; no value for anything else. Reads at most `budget` bytes.
[[nodiscard]] std::optional<Journal> find_journal(const ReadBytes& read, std::uint64_t size, std::uint64_t budget);

/// The writes that publish a session's bytes: first new bytes, then the overwrites of [0, old_end), protected by a
/// journal at the end of the file, the superblock last. A new file (old_end 0) needs no journal, because it is no HDF5
/// file before its superblock is written.
[[nodiscard]] Publication make_publication(const ByteMap& bytes, std::uint64_t old_end, std::uint64_t new_end,
                                           const Superblock& superblock);

/// The publication that completes an interrupted one.
[[nodiscard]] Publication complete(const Journal& journal);

}  // namespace quire::hdf5
