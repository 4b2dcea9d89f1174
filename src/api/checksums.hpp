#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/read/reader_state.hpp"
#include "quire/comm/comm.hpp"
#include "transport/summed.hpp"

namespace quire {

/// The file beside `path` that keeps the checksums of what was written there.
///
/// It is a table of little-endian 64-bit numbers: behind a head of 32 bytes (a mark of 16 bytes, the number of entries,
/// the sum modulo 2^64 of the XXH3-64 of all entries) for each piece that a rank wrote the file of the set that it is
/// in (0: the first one; else the XXH3-64 of its name, from where that differs from the name of the first one on), its
/// offset there, its bytes and their XXH3-64. Files of a set are not told by number: a reader may leave some out.
/// Behind a link they are beside what that leads to, for whoever writes that by its own name must find them.
[[nodiscard]] std::string sums_path(const std::string& path);
/// Where it is written until it is complete.
[[nodiscard]] std::string partial_sums_path(const std::string& path);

/// Independent, rank 0. What stood there is about to change: its checksums go.
void remove_sums(const std::string& path);

/// The name of a file of a set beside the first one, as its writer has numbered them; member 0 is the first one itself.
using NameOfMember = std::function<std::string(std::uint64_t member)>;

/// Collective. Writes the checksums of all ranks: each its own entries. Every rank returns or throws the same error.
void write_sums(Comm& comm, const std::string& path, const std::vector<SummedExtent>& mine, const NameOfMember& name);

/// Collective. Compares the bytes of a file with the checksums beside it, each rank an equal share of the entries;
/// nothing if all agree, or if there are none. The same on every rank.
[[nodiscard]] std::optional<Error> find_changed_bytes(Reader::State& reader);

}  // namespace quire
