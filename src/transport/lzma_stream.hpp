#pragma once

#include <lzma.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "quire/base/error.hpp"

namespace quire {

/// A stream of liblzma that is released by its destructor.
class LzmaStream {
 public:
  LzmaStream() = default;
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;
  ~LzmaStream() { ::lzma_end(&stream_); }

  [[nodiscard]] lzma_stream* get() noexcept { return &stream_; }

  struct Step {
    lzma_ret status = LZMA_OK;
    std::size_t used = 0;
    std::size_t made = 0;
  };
  /// One call of the current coder.
  [[nodiscard]] Step code(std::span<const std::byte> in, std::span<std::byte> out) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = ::lzma_code(&stream_, LZMA_RUN);
    return {status, in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

/// Memory limit for inflating: the preset with the largest dictionary needs a little more than 64 MiB.
[[nodiscard]] inline std::uint64_t lzma_memory(std::uint64_t budget) noexcept {
  constexpr std::uint64_t beside_dictionary = 1 << 20;
  return budget + beside_dictionary;
}

/// Throws errors that are not caused by wrong bytes of the file.
inline void check_lzma(lzma_ret status) {
  if (status == LZMA_MEMLIMIT_ERROR || status == LZMA_MEM_ERROR) {
    throw Error(ErrorKind::memory, "inflating the file needs more than the memory budget")
        .advise("raise the memory budget, or compress the file with a smaller dictionary");
  }
  if (status == LZMA_OPTIONS_ERROR) {
    throw Error(ErrorKind::unsupported, "the file is compressed by a filter that this build does not support");
  }
}

}  // namespace quire
