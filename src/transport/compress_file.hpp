#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/compression.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire {

/// Collective. Opens a file, as open_transport() does.
using OpenFile = std::function<std::unique_ptr<Transport>(const std::string& path, Access access)>;

/// How a file is compressed.
struct CompressionChoice {
  Compression compression = Compression::none;
  std::optional<int> level{};
};

/// Collective. Compresses the complete file `plain` into the new file `target`. The result depends only on the bytes of
/// `plain` and the choice.
///
/// The ranks compress pieces of 4 MiB in turn, at most 256 of them at a time; each holds one piece and its compressed
/// bytes. One collective a round. Every rank returns or throws the same error; `target` may then be incomplete.
void compress_file(Comm& comm, const OpenFile& open, const std::string& plain, const std::string& target,
                   const CompressionChoice& choice, bool durable);

}  // namespace quire
