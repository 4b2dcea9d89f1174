#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
/// sum modulo 2^64 of the XXH3-64 of all entries) is followed by one entry for each piece written by a rank, or each
/// part of a cell of 1 MiB that was written if ranks divide the rows of a table anywhere: the file of the set (0: the
/// first one; else the XXH3-64 of the part of its name that differs from the name of the first one), the offset there,
/// the number of bytes and their XXH3-64. Files of a set are not identified by number, because a reader may leave some
/// out. For a symbolic link the table is next to the target, so that programs that write the target by its own name
/// find it.
[[nodiscard]] std::string sums_path(const std::string& path);
/// The path of the table while it is being written.
[[nodiscard]] std::string partial_sums_path(const std::string& path);

/// Independent, rank 0. Removes the checksums of a file that is about to change.
void remove_sums(const std::string& path);

/// The name of a file of a set next to the first one, as numbered by its writer; member 0 is the first one itself.
using NameOfMember = std::function<std::string(std::uint64_t member)>;

/// Opens a file of a set that was written.
using OpenMember = std::function<std::unique_ptr<Transport>(std::uint64_t member)>;

/// Collective. This rank's share of the pieces of all ranks: those of a part of each file. Pieces that follow each
/// other in a cell of so many bytes are joined, so that the result does not depend on the number of ranks: the checksum
/// of all is computed from the file, in which each must have its own. Throws, on every rank, bad_file errors if it has
/// not. Without a cell (0) no pieces are joined, and no file is read.
[[nodiscard]] std::vector<SummedExtent> shared_sums(Comm& comm, const std::vector<SummedExtent>& mine,
                                                    std::uint64_t cell, const OpenMember& open);

/// Collective. Writes the checksums of all ranks: each its share. Every rank returns or throws the same error.
void write_sums(Comm& comm, const std::string& path, const std::vector<SummedExtent>& shared, const NameOfMember& name);

/// Collective. Compares the bytes of a file with the checksums next to it, each rank an equal share of the entries. No
/// value if all agree, or if there are none. The same on every rank.
[[nodiscard]] std::optional<Error> find_changed_bytes(Reader::State& reader);

}  // namespace quire
