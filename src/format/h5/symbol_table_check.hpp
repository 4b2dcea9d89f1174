#pragma once

#include <cstdint>

#include "format/h5/header_check.hpp"
#include "format/h5/superblock.hpp"

namespace quire::h5 {

/// Checks that every name in the symbol table of a group ends inside the local heap of the group: HDF5 1.10 copies
/// names from any offset up to the next zero byte (HDF5 file format specification, III.A to III.D). The file
/// has `size` bytes; `base` is the origin of addresses inside it. Structures that cannot be read are left to HDF5,
/// which reports them. Throws bad_file errors with offsets.
void check_symbol_table(const ReadBytes& read, std::uint64_t size, std::uint64_t base, const SymbolTablePlace& place);

}  // namespace quire::h5
