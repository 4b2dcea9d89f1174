#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quire/plan/chunks.hpp"

namespace quire::kernels {

/// Independent. True if Codec can undo the filter: a number and parameters that it knows.
[[nodiscard]] bool decodes(const Filter& filter) noexcept;
/// Independent. True if Codec can apply it too. LZF and LZ4 are only undone.
[[nodiscard]] bool encodes(const Filter& filter) noexcept;

/// Independent. The most bytes that a sane writer makes of a chunk of so many, whatever filters were left out. Throws
/// unsupported errors for filters that decodes() does not know.
[[nodiscard]] std::uint64_t most_encoded(const std::vector<Filter>& pipeline, std::uint64_t bytes);

/// Passes chunks through a pipeline of filters, in memory.
///
/// Deflate (parameter: level 0 to 9), shuffle (bytes of an element), Fletcher-32 (none), Zstandard (level), and for
/// decoding LZF and LZ4 (parameters do not matter). Keeps its buffers and the state of the libraries behind it between
/// chunks: one object for each thread.
class Codec {
 public:
  /// Independent. Throws unsupported errors for filters that decodes() does not know.
  explicit Codec(std::vector<Filter> pipeline);
  Codec(Codec&&) noexcept;
  Codec& operator=(Codec&&) noexcept;
  ~Codec();

  /// Independent. All filters in order. The result depends on the bytes and the pipeline alone, given the versions of
  /// the libraries. Throws unsupported errors for filters that encodes() does not know.
  [[nodiscard]] std::vector<std::byte> encode(std::span<const std::byte> in);

  /// Independent. Undoes all filters but those whose bit in `mask` is set, last one first: fills `out`, whose size is
  /// that of the chunk before it was filtered. Never makes more bytes than that, and a little on the way.
  /// Throws bad_file errors at offset 0 (of the chunk) for bytes that the pipeline can not have made.
  void decode(std::uint32_t mask, std::span<const std::byte> in, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire::kernels
