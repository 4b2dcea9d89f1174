#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "kernels/filter_stage.hpp"
#include "kernels/shuffle.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::kernels {
namespace {

/// An upper limit for every plausible encoder, also for incompressible bytes.
std::size_t generous(std::size_t bytes) noexcept { return bytes + bytes / 8 + 1024; }

class Deflate final : public FilterStage {
 public:
  explicit Deflate(std::optional<int> level) : level_(level) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const noexcept override { return generous(bytes); }

  [[nodiscard]] bool encodes() const noexcept override { return level_.has_value(); }

  void encode(std::span<const std::byte> in, std::vector<std::byte>& out) override {
    if (!compressor_) {
      compressor_.reset(::libdeflate_alloc_compressor(level_.value()));
      if (!compressor_) throw Error(ErrorKind::memory, "not enough memory to deflate a chunk");
    }
    out.resize(::libdeflate_zlib_compress_bound(compressor_.get(), in.size()));
    out.resize(::libdeflate_zlib_compress(compressor_.get(), in.data(), in.size(), out.data(), out.size()));
    if (out.empty()) throw Error(ErrorKind::internal, "a chunk cannot be deflated");
  }

  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) override {
    if (!decompressor_) {
      decompressor_.reset(::libdeflate_alloc_decompressor());
      if (!decompressor_) throw Error(ErrorKind::memory, "not enough memory to inflate a chunk");
    }
    std::size_t used = 0;
    std::size_t made = 0;
    const auto result = ::libdeflate_zlib_decompress_ex(decompressor_.get(), in.data(), in.size(), room.data(),
                                                        room.size(), &used, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      throw Error(ErrorKind::bad_file, "the deflated bytes hold more than the chunk");
    }
    if (result != LIBDEFLATE_SUCCESS) throw Error(ErrorKind::bad_file, "the deflated bytes are wrong");
    return room.first(made);
  }

 private:
  struct Release {
    void operator()(libdeflate_compressor* compressor) const noexcept { ::libdeflate_free_compressor(compressor); }
    void operator()(libdeflate_decompressor* decompressor) const noexcept {
      ::libdeflate_free_decompressor(decompressor);
    }
  };
  std::optional<int> level_;
  std::unique_ptr<libdeflate_compressor, Release> compressor_;
  std::unique_ptr<libdeflate_decompressor, Release> decompressor_;
};

class Zstandard final : public FilterStage {
 public:
  explicit Zstandard(int level) : level_(level) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const noexcept override { return generous(bytes); }

  void encode(std::span<const std::byte> in, std::vector<std::byte>& out) override {
    if (!compressor_) compressor_ = checking_compressor(level_);
    out.resize(::ZSTD_compressBound(in.size()));
    const std::size_t made = ::ZSTD_compress2(compressor_.get(), out.data(), out.size(), in.data(), in.size());
    if (::ZSTD_isError(made) != 0) {
      throw Error(ErrorKind::memory, std::string("a chunk can not be compressed: ") + ::ZSTD_getErrorName(made));
    }
    out.resize(made);
  }

  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) override {
    if (!decompressor_) decompressor_.reset(::ZSTD_createDCtx());
    if (!decompressor_) throw Error(ErrorKind::memory, "not enough memory to decompress a chunk");
    const std::size_t made = ::ZSTD_decompressDCtx(decompressor_.get(), room.data(), room.size(), in.data(), in.size());
    if (::ZSTD_isError(made) != 0) {
      throw Error(ErrorKind::bad_file, std::string("the Zstandard bytes are wrong: ") + ::ZSTD_getErrorName(made));
    }
    return room.first(made);
  }

 private:
  struct Release {
    void operator()(ZSTD_CCtx* context) const noexcept { ::ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const noexcept { ::ZSTD_freeDCtx(context); }
  };

  /// Frames end with a checksum of their content, which every decoder verifies.
  static std::unique_ptr<ZSTD_CCtx, Release> checking_compressor(int level) {
    std::unique_ptr<ZSTD_CCtx, Release> made(::ZSTD_createCCtx());
    if (!made) throw Error(ErrorKind::memory, "not enough memory to compress a chunk");
    for (const auto& [parameter, value] : {std::pair(ZSTD_c_compressionLevel, level), {ZSTD_c_checksumFlag, 1}}) {
      if (::ZSTD_isError(::ZSTD_CCtx_setParameter(made.get(), parameter, value)) != 0) {
        throw Error(ErrorKind::internal, "Zstandard does not accept its parameters");
      }
    }
    return made;
  }

  int level_;
  std::unique_ptr<ZSTD_CCtx, Release> compressor_;
  std::unique_ptr<ZSTD_DCtx, Release> decompressor_;
};

class Shuffle final : public FilterStage {
 public:
  explicit Shuffle(std::size_t element) : element_(element) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const noexcept override { return bytes; }

  void encode(std::span<const std::byte> in, std::vector<std::byte>& out) override {
    out.resize(in.size());
    shuffle_bytes(in, element_, out.data());
  }

  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in, std::span<std::byte> room) override {
    if (element_ == 1) return in;
    if (in.size() > room.size()) throw Error(ErrorKind::bad_file, "there are more bytes than the size of the chunk");
    unshuffle_bytes(in, element_, room.data());
    return room.first(in.size());
  }

 private:
  std::size_t element_;
};

/// Sums of 16-bit big-endian words modulo 65535; an odd last byte is the high one of its word.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
  // The number of words for which the sums of sums fit into 32 bits.
  constexpr std::size_t words_at_once = 360;
  std::uint32_t sum = 0;
  std::uint32_t sum_of_sums = 0;
  const auto fold = [](std::uint32_t value) { return (value & 0xffff) + (value >> 16); };
  std::size_t position = 0;
  for (std::size_t words = bytes.size() / 2; words > 0;) {
    const std::size_t count = std::min(words, words_at_once);
    for (std::size_t i = 0; i < count; ++i, position += 2) {
      sum += load<std::uint16_t>(bytes.data() + position, ByteOrder::big);
      sum_of_sums += sum;
    }
    sum = fold(sum);
    sum_of_sums = fold(sum_of_sums);
    words -= count;
  }
  if (bytes.size() % 2 != 0) {
    sum = fold(sum + (std::to_integer<std::uint32_t>(bytes.back()) << 8));
    sum_of_sums = fold(sum_of_sums + sum);
  }
  return fold(sum_of_sums) << 16 | fold(sum);
}

class Fletcher32 final : public FilterStage {
 public:
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const noexcept override { return bytes + sum_bytes; }

  void encode(std::span<const std::byte> in, std::vector<std::byte>& out) override {
    out.resize(in.size() + sum_bytes);
    std::ranges::copy(in, out.begin());
    store<std::uint32_t>(out.data() + in.size(), fletcher32(in), ByteOrder::little);
  }

  [[nodiscard]] std::span<const std::byte> decode(std::span<const std::byte> in,
                                                  std::span<std::byte> /*room*/) override {
    if (in.size() < sum_bytes) throw Error(ErrorKind::bad_file, "the chunk is shorter than its checksum");
    const auto data = in.first(in.size() - sum_bytes);
    const auto stored = load<std::uint32_t>(in.data() + data.size(), ByteOrder::little);
    const std::uint32_t sum = fletcher32(data);
    // Writers before 2005 swapped the bytes of both halves on little-endian machines.
    const std::uint32_t swapped = (sum & 0x00ff00ff) << 8 | (sum & 0xff00ff00) >> 8;
    if (stored != sum && stored != swapped) {
      throw Error(ErrorKind::bad_file, "the checksum of the chunk is wrong: its bytes were damaged");
    }
    return data;
  }

 private:
  static constexpr std::size_t sum_bytes = sizeof(std::uint32_t);
};

}  // namespace

std::unique_ptr<FilterStage> deflate_stage(const Filter& filter) {
  constexpr std::uint32_t best = 9;
  constexpr int usual = 6;
  if (filter.parameters.empty()) return std::make_unique<Deflate>(usual);
  const std::uint32_t level = filter.parameters.front();
  return std::make_unique<Deflate>(level <= best ? std::optional(static_cast<int>(level)) : std::nullopt);
}

std::unique_ptr<FilterStage> zstandard_stage(const Filter& filter) {
  const int level = filter.parameters.empty() ? ZSTD_CLEVEL_DEFAULT : static_cast<int>(filter.parameters.front());
  return std::make_unique<Zstandard>(std::clamp(level, ::ZSTD_minCLevel(), ::ZSTD_maxCLevel()));
}

std::unique_ptr<FilterStage> shuffle_stage(const Filter& filter) {
  if (filter.parameters.empty() || filter.parameters.front() == 0) return nullptr;
  return std::make_unique<Shuffle>(filter.parameters.front());
}

std::unique_ptr<FilterStage> fletcher32_stage(const Filter& /*filter*/) { return std::make_unique<Fletcher32>(); }

}  // namespace quire::kernels
