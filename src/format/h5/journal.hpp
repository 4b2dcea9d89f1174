#pragma once

#include <cstdint>
#include <optional>

#include "format/h5/byte_map.hpp"
#include "format/h5/superblock.hpp"
#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// The overwrites of one publication, as found at the tail of a file in which it was interrupted.
struct Journal {
  ByteMap overwrites;
  std::uint64_t start = 0;  ///< of the journal: where the file ends once the overwrites are done
};

/// The overwrites as the bytes of a journal. Little-endian: magic "QUIREJNL", version (4), number of ranges (4), the
/// file's end without the journal (8), for each range offset (8), length (8) and bytes; XXH64 of all that (8), length
/// of the whole journal (8), magic "LNJERIUQ".
[[nodiscard]] std::vector<std::byte> encode_journal(const std::vector<PublishWrite>& overwrites, std::uint64_t start);

/// The journal at the tail of a file of `size` bytes, if there is a complete one. Anything else that looks like one is
/// none. At most `budget` bytes are read.
[[nodiscard]] std::optional<Journal> find_journal(const ReadBytes& read, std::uint64_t size, std::uint64_t budget);

/// What brings the session's bytes into a file: fresh bytes first, then the overwrites of [0, old_end) guarded by a
/// journal behind everything, the superblock last. A new file (old_end 0) needs no journal: its superblock makes it
/// one.
[[nodiscard]] Publication make_publication(const ByteMap& bytes, std::uint64_t old_end, std::uint64_t new_end,
                                           const Superblock& superblock);

/// What completes an interrupted publication.
[[nodiscard]] Publication complete(const Journal& journal);

}  // namespace quire::h5
