#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/read/reader_state.hpp"
#include "quire/comm/comm.hpp"
#include "transport/summed.hpp"

namespace quire {

/// The path of the file next to `path` that stores the checksums of the bytes written there.
///
/// It is a table of little-endian 64-bit numbers. A head of 32 bytes (a magic of 16 bytes, the number of entries, the
/// sum modulo 2^64 of the XXH3-64 of all entries) is followed by one entry for each piece written by a rank: the file
/// of the set (0: the first one; else the XXH3-64 of the part of its name that differs from the name of the first one),
/// the offset there, the number of bytes and their XXH3-64. Files of a set are not identified by number, because a
/// reader may leave some out. For a symbolic link the table is next to the target, so that programs that write the
/// target by its own name find it.
[[nodiscard]] std::string sums_path(const std::string& path);
/// The path of the table while it is being written.
[[nodiscard]] std::string partial_sums_path(const std::string& path);

/// Independent, rank 0. Removes the checksums of a file that is about to change.
void remove_sums(const std::string& path);

/// The name of a file of a set next to the first one, as numbered by its writer; member 0 is the first one itself.
using NameOfMember = std::function<std::string(std::uint64_t member)>;

/// Collective. Writes the checksums of all ranks: each its own entries. Every rank returns or throws the same error.
void write_sums(Comm& comm, const std::string& path, const std::vector<SummedExtent>& mine, const NameOfMember& name);

/// Collective. Compares the bytes of a file with the checksums next to it, each rank an equal share of the entries. No
/// value if all agree, or if there are none. The same on every rank.
[[nodiscard]] std::optional<Error> find_changed_bytes(Reader::State& reader);

}  // namespace quire
