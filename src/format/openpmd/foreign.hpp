#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quire/spi/plan/byte_source.hpp"

namespace quire {

/// Whether a content is openPMD in a container that is not read: the index of an ADIOS2 file (BP4, BP5), or JSON.
[[nodiscard]] bool is_foreign_openpmd(std::span<const std::byte> head);
/// As many first bytes of a file as is_foreign_openpmd() needs: few, unless the file may be JSON.
[[nodiscard]] std::vector<std::byte> foreign_head(ByteSource& bytes);

/// The index in the directory of an ADIOS2 file; empty for other directories.
[[nodiscard]] std::string adios_index(std::span<const std::string> names);

/// Throws unsupported errors with advice for such a content.
void refuse_foreign_openpmd(ByteSource& bytes, const std::string& path);

}  // namespace quire
