#include <libdeflate.h>

#include "quire/base/error.hpp"
#include "transport/piece_coder.hpp"

namespace quire {
namespace {

/// Each piece is a separate member, which every gzip reader accepts as one file. They contain no time and no name.
class GzipCoder final : public PieceCoder {
 public:
  explicit GzipCoder(int level) : compressor_(::libdeflate_alloc_compressor(level)) {
    if (compressor_ == nullptr) throw Error(ErrorKind::memory, "not enough memory to compress");
  }

  [[nodiscard]] std::vector<std::byte> begin() override { return {}; }

  [[nodiscard]] CodedPiece code(std::span<const std::byte> piece) override {
    std::vector<std::byte> bytes(::libdeflate_gzip_compress_bound(compressor_.get(), piece.size()));
    const std::size_t made =
        ::libdeflate_gzip_compress(compressor_.get(), piece.data(), piece.size(), bytes.data(), bytes.size());
    if (made == 0) throw Error(ErrorKind::internal, "a member of gzip is longer than its bound");
    bytes.resize(made);
    return {std::move(bytes), made};
  }

  [[nodiscard]] std::uint64_t length(std::uint64_t mark) const override { return mark; }
  void note(std::uint64_t /*mark*/, std::uint64_t /*plain_bytes*/) override {}
  [[nodiscard]] std::vector<std::byte> end() override { return {}; }

 private:
  struct Release {
    void operator()(libdeflate_compressor* compressor) const noexcept { ::libdeflate_free_compressor(compressor); }
  };
  std::unique_ptr<libdeflate_compressor, Release> compressor_;
};

}  // namespace

std::unique_ptr<PieceCoder> make_gzip_coder(std::optional<int> level) {
  constexpr int usual = 6;
  return std::make_unique<GzipCoder>(level.value_or(usual));
}

std::unique_ptr<PieceCoder> make_piece_coder(Compression compression, std::optional<int> level) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_coder(level);
    case Compression::xz:
      return make_xz_coder(level);
    case Compression::lzma:
    case Compression::none:
      break;
  }
  throw Error(ErrorKind::internal, "this compression is not written");
}

}  // namespace quire
