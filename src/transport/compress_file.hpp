#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/compression.hpp"
#include "quire/transport/transport.hpp"

namespace quire {

/// Opens a file on all ranks together, as open_transport() does.
using OpenFile = std::function<std::unique_ptr<Transport>(const std::string& path, Access access)>;

/// How a file shall be compressed.
struct CompressionChoice {
  Compression compression = Compression::none;
  std::optional<int> level{};
};

/// Collective. Compresses the file `plain`, which nobody writes any more, into the new file `target`. The bytes depend
/// on those of `plain` and the choice only.
///
/// The ranks take pieces of 4 MiB in turn, at most 256 of them; each holds one piece and what becomes of it. One
/// collective a round. Every rank returns or throws the same error; `target` may then be unfinished.
void compress_file(Comm& comm, const OpenFile& open, const std::string& plain, const std::string& target,
                   const CompressionChoice& choice, bool durable);

}  // namespace quire
