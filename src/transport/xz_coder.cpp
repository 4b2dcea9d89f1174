#include <lzma.h>

#include <algorithm>
#include <array>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "transport/piece_coder.hpp"

namespace quire {
namespace {

std::uint8_t* octets(std::vector<std::byte>& bytes) noexcept { return reinterpret_cast<std::uint8_t*>(bytes.data()); }

void require(lzma_ret status) {
  if (status == LZMA_OK) return;
  if (status == LZMA_MEM_ERROR) throw Error(ErrorKind::memory, "not enough memory to compress");
  throw Error(ErrorKind::internal, "liblzma cannot compress: error " + std::to_string(static_cast<int>(status)));
}

/// One stream in which each piece is a block, because some programs read only the first stream. Checksums are CRC32,
/// which every build of liblzma supports.
class XzCoder final : public PieceCoder {
 public:
  explicit XzCoder(int level) : index_(::lzma_index_init(nullptr)) {
    if (index_ == nullptr) require(LZMA_MEM_ERROR);
    if (::lzma_lzma_preset(&options_, static_cast<std::uint32_t>(level)) != 0) {
      throw Error(ErrorKind::usage, "xz has levels 0 to 9");
    }
    // A dictionary larger than the piece costs memory without benefit.
    options_.dict_size = std::min<std::uint32_t>(options_.dict_size, piece_to_code);
    filters_ = {lzma_filter{LZMA_FILTER_LZMA2, &options_}, lzma_filter{LZMA_VLI_UNKNOWN, nullptr}};
  }

  [[nodiscard]] std::vector<std::byte> begin() override {
    std::vector<std::byte> bytes(LZMA_STREAM_HEADER_SIZE);
    const lzma_stream_flags flags = stream_flags();
    require(::lzma_stream_header_encode(&flags, octets(bytes)));
    return bytes;
  }

  [[nodiscard]] CodedPiece code(std::span<const std::byte> piece) override {
    lzma_block block{};
    block.version = 1;
    block.check = LZMA_CHECK_CRC32;
    block.filters = filters_.data();
    std::vector<std::byte> bytes(::lzma_block_buffer_bound(piece.size()));
    std::size_t made = 0;
    require(::lzma_block_buffer_encode(&block, nullptr, reinterpret_cast<const std::uint8_t*>(piece.data()),
                                       piece.size(), octets(bytes), &made, bytes.size()));
    bytes.resize(made);
    return {std::move(bytes), ::lzma_block_unpadded_size(&block)};
  }

  [[nodiscard]] std::uint64_t length(std::uint64_t mark) const override {
    constexpr std::uint64_t unit = 4;
    return round_up(mark, unit);
  }

  void note(std::uint64_t mark, std::uint64_t plain_bytes) override {
    require(::lzma_index_append(index_.get(), nullptr, mark, plain_bytes));
  }

  [[nodiscard]] std::vector<std::byte> end() override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(::lzma_index_size(index_.get())));
    std::size_t made = 0;
    require(::lzma_index_buffer_encode(index_.get(), octets(bytes), &made, bytes.size()));
    lzma_stream_flags flags = stream_flags();
    flags.backward_size = made;
    bytes.resize(made + LZMA_STREAM_HEADER_SIZE);
    require(::lzma_stream_footer_encode(&flags, octets(bytes) + made));
    return bytes;
  }

 private:
  struct Release {
    void operator()(lzma_index* index) const noexcept { ::lzma_index_end(index, nullptr); }
  };
  static lzma_stream_flags stream_flags() {
    lzma_stream_flags flags{};
    flags.check = LZMA_CHECK_CRC32;
    return flags;
  }

  std::unique_ptr<lzma_index, Release> index_;
  lzma_options_lzma options_{};
  std::array<lzma_filter, 2> filters_{};
};

}  // namespace

std::unique_ptr<PieceCoder> make_xz_coder(std::optional<int> level) {
  constexpr int usual = 2;  // as other writers in this field: twice as fast as the default of xz
  return std::make_unique<XzCoder>(level.value_or(usual));
}

}  // namespace quire
