#pragma once

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "quire/spi/plan/byte_source.hpp"
#include "support/random_bytes.hpp"

namespace quire::test {

/// A file in memory.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= bytes_.size()) return 0;
    const auto count = std::min<std::size_t>(out.size(), bytes_.size() - static_cast<std::size_t>(offset));
    std::copy_n(reinterpret_cast<const std::byte*>(bytes_.data()) + offset, count, out.begin());
    return count;
  }

 private:
  std::string bytes_;
};

/// Bytes that compress to about a half, everywhere different.
inline std::string half_random(std::size_t count, std::uint32_t seed = 1) {
  Random random(seed);
  std::string text(count, '\0');
  for (char& letter : text) letter = static_cast<char>('a' + random.below(16));
  return text;
}

/// One member written by zlib, with a name and a comment in its head if requested.
inline std::string gzip_of(const std::string& plain, bool with_texts = false) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  gz_header head{};
  std::string name(70000, 'n');
  std::string extra(65535, 'e');
  if (with_texts) {
    head.name = reinterpret_cast<Bytef*>(name.data());
    head.comment = reinterpret_cast<Bytef*>(name.data());
    head.extra = reinterpret_cast<Bytef*>(extra.data());
    head.extra_len = static_cast<uInt>(extra.size());
    head.hcrc = 1;
    deflateSetHeader(&stream, &head);
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(plain.size())) + 300000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

namespace detail {

inline std::string run_lzma(lzma_stream& stream, const std::string& plain) {
  std::string out(lzma_stream_buffer_bound(plain.size()) + plain.size() / 100 + 4096, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(plain.data());
  stream.avail_in = plain.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = out.size();
  if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END) throw std::runtime_error("lzma");
  out.resize(stream.total_out);
  lzma_end(&stream);
  return out;
}

}  // namespace detail

/// One stream written by liblzma, in blocks of this size (0: one block).
inline std::string xz_of(const std::string& plain, std::uint64_t block_bytes = 0, lzma_check check = LZMA_CHECK_CRC32) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_ret status = LZMA_OK;
  if (block_bytes == 0) {
    status = lzma_easy_encoder(&stream, 0, check);
  } else {
    lzma_mt options{};
    options.threads = 1;
    options.block_size = block_bytes;
    options.check = check;
    status = lzma_stream_encoder_mt(&stream, &options);
  }
  if (status != LZMA_OK) throw std::runtime_error("lzma");
  return detail::run_lzma(stream, plain);
}

/// The older container, .lzma.
inline std::string lzma_of(const std::string& plain) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_options_lzma options{};
  if (lzma_lzma_preset(&options, 0) || lzma_alone_encoder(&stream, &options) != LZMA_OK) {
    throw std::runtime_error("lzma");
  }
  return detail::run_lzma(stream, plain);
}

}  // namespace quire::test
