#pragma once

#include <string>
#include <string_view>

#include "quire/format/options.hpp"
#include "transport/compress_file.hpp"

namespace quire {

/// A file that is written plain beside its target and takes its place, compressed, when it is complete.
///
/// So every step has the guarantees of a plain file until then; under its target's name nothing is seen before the end,
/// and what stood there stays.
class CompressedTarget {
 public:
  CompressedTarget() = default;
  /// What path and options ask for; takes its options out of those of the format's writer. Throws usage errors.
  CompressedTarget(const std::string& path, Options& options);

  [[nodiscard]] bool is_compressed() const noexcept { return choice_.compression != Compression::none; }
  [[nodiscard]] std::string_view compression() const noexcept { return name(choice_.compression); }
  /// The file to write: beside the target, or the target itself if nothing is compressed.
  [[nodiscard]] const std::string& plain() const noexcept { return plain_; }

  /// Independent, rank 0. Throws errors that would come only at the end otherwise.
  void check() const;
  /// Collective. Compresses the plain file, which nobody writes any more, and puts the result in the place of the
  /// target. Every rank returns or throws the same error; the plain file then stays.
  void complete(Comm& comm, const OpenFile& open, bool durable) const;

 private:
  void replace(const std::string& compressed, bool durable) const;

  std::string target_{};
  std::string plain_{};
  CompressionChoice choice_{};
};

}  // namespace quire
