#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quire/spi/plan/chunks.hpp"

namespace quire::kernels {

/// Independent. True if Codec can undo the filter: it knows the number and supports the parameters.
[[nodiscard]] bool decodes(const Filter& filter) noexcept;
/// Independent. True if Codec can also apply it. LZF and LZ4 can only be undone.
[[nodiscard]] bool encodes(const Filter& filter) noexcept;

/// Independent. The largest plausible size of an encoded chunk of so many bytes, whatever filters were skipped. Throws
/// unsupported errors for filters that decodes() rejects.
[[nodiscard]] std::uint64_t most_encoded(const std::vector<Filter>& pipeline, std::uint64_t bytes);

/// Passes chunks through a pipeline of filters, in memory.
///
/// Deflate (parameter: level 0 to 9), shuffle (bytes of an element), Fletcher-32 (none), Zstandard (level), and for
/// decoding LZF and LZ4 (parameters are ignored). Reuses its buffers and the state of the compression libraries: use
/// one object for each thread.
class Codec {
 public:
  /// Independent. Throws unsupported errors for filters that decodes() rejects.
  explicit Codec(std::vector<Filter> pipeline);
  Codec(Codec&&) noexcept;
  Codec& operator=(Codec&&) noexcept;
  ~Codec();

  /// Independent. Applies all filters in order. The result depends only on the bytes, the pipeline and the versions of
  /// the libraries. Throws unsupported errors for filters that encodes() rejects.
  [[nodiscard]] std::vector<std::byte> encode(std::span<const std::byte> in);

  /// Independent. Undoes all filters except those whose bit in `mask` is set, last one first, and fills `out`, whose
  /// size is that of the unfiltered chunk. Intermediate results are not much larger than that. Throws bad_file errors
  /// at offset 0 (of the chunk) for bytes that the pipeline cannot have produced.
  void decode(std::uint32_t mask, std::span<const std::byte> in, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire::kernels
