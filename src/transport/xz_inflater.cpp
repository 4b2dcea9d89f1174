#include <algorithm>
#include <array>
#include <optional>

#include "transport/inflater.hpp"
#include "transport/lzma_stream.hpp"

namespace quire {
namespace {

const std::uint8_t* octets(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

/// The filters of a block, as liblzma allocates them.
class Filters {
 public:
  Filters() { filters_[0].id = LZMA_VLI_UNKNOWN; }
  Filters(const Filters&) = delete;
  Filters& operator=(const Filters&) = delete;
  ~Filters() { ::lzma_filters_free(filters_.data(), nullptr); }
  [[nodiscard]] lzma_filter* get() noexcept { return filters_.data(); }
  void release() {
    ::lzma_filters_free(filters_.data(), nullptr);
    filters_[0].id = LZMA_VLI_UNKNOWN;
  }

 private:
  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters_{};
};

/// Hash of the sizes of the blocks of a stream, to compare with the stream's index.
class IndexHash {
 public:
  IndexHash() : hash_(::lzma_index_hash_init(nullptr, nullptr)) {
    if (hash_ == nullptr) check_lzma(LZMA_MEM_ERROR);
  }
  IndexHash(const IndexHash&) = delete;
  IndexHash& operator=(const IndexHash&) = delete;
  ~IndexHash() { ::lzma_index_hash_end(hash_, nullptr); }
  [[nodiscard]] lzma_index_hash* get() noexcept { return hash_; }

 private:
  lzma_index_hash* hash_;
};

/// Consecutive xz streams with padding between them. Blocks are restart points and are confirmed one by one. The detail
/// of a restart point inside a stream is the type of its checksums plus one.
class XzInflater final : public Inflater {
 public:
  XzInflater(CompressedInput& input, const RestartPoint& from, RestartPoints* points, std::uint64_t memory)
      : Inflater(input, from, points), memory_(memory), is_first_(from.input == 0) {
    if (from.detail == 0) return;
    flags_.check = static_cast<lzma_check>(from.detail - 1);
    place_ = Place::block_head;
  }

  [[nodiscard]] std::size_t inflate(std::span<std::byte> out) override {
    std::size_t made = 0;
    while (made < out.size() && !has_ended()) {
      switch (place_) {
        case Place::stream_head:
          begin_stream();
          break;
        case Place::block_head:
          begin_block();
          break;
        case Place::block:
          made += inflate_block(out.subspan(made));
          break;
        case Place::index:
          read_index();
          break;
        case Place::stream_tail:
          end_stream();
          break;
      }
    }
    return made;
  }

 private:
  enum class Place : std::uint8_t { stream_head, block_head, block, index, stream_tail };

  void begin_stream() {
    if (!is_first_) skip_padding();
    const auto head = input().peek(LZMA_STREAM_HEADER_SIZE);
    if (compression_of(head) != Compression::xz) {
      if (is_first_) return end_wrong("there is no xz stream");
      return end_here();
    }
    if (head.size() < LZMA_STREAM_HEADER_SIZE) return end_cut("the head of an xz stream");
    const lzma_ret status = ::lzma_stream_header_decode(&flags_, octets(head));
    check_lzma(status);
    if (status != LZMA_OK) return end_wrong("the head of an xz stream is wrong");
    if (!is_first_ && wants_point()) points()->add({input().position(), position(), 0});
    input().consume(LZMA_STREAM_HEADER_SIZE);
    is_first_ = false;
    blocks_.emplace();
    place_ = Place::block_head;
  }

  /// Skips zeros between streams, four at a time.
  void skip_padding() {
    constexpr std::size_t unit = 4;
    while (true) {
      const auto bytes = input().peek(unit);
      if (bytes.size() < unit) return;
      if (std::ranges::any_of(bytes.first(unit), [](std::byte byte) { return byte != std::byte{0}; })) return;
      input().consume(unit);
    }
  }

  void begin_block() {
    const auto first = input().peek(1);
    if (first.empty()) return end_cut("an xz stream");
    if (first.front() == std::byte{0}) {
      place_ = Place::index;
      return;
    }
    block_ = {};
    block_.version = 1;
    block_.check = flags_.check;
    block_.header_size = lzma_block_header_size_decode(std::to_integer<std::uint32_t>(first.front()));
    const auto head = input().peek(block_.header_size);
    if (head.size() < block_.header_size) return end_cut("the head of an xz block");
    filters_.release();
    block_.filters = filters_.get();
    lzma_ret status = ::lzma_block_header_decode(&block_, nullptr, octets(head));
    check_lzma(status);
    if (status != LZMA_OK) return end_wrong("the head of an xz block is wrong");
    if (::lzma_raw_decoder_memusage(filters_.get()) > memory_) check_lzma(LZMA_MEMLIMIT_ERROR);
    if (wants_point()) {
      points()->add({input().position(), position(), static_cast<std::uint32_t>(flags_.check) + 1});
    }
    status = ::lzma_block_decoder(stream_.get(), &block_);
    check_lzma(status);
    if (status != LZMA_OK) return end_wrong("the head of an xz block is wrong");
    input().consume(block_.header_size);
    place_ = Place::block;
  }

  [[nodiscard]] std::size_t inflate_block(std::span<std::byte> out) {
    const auto in = input().peek();
    const auto [status, used, made] = stream_.code(in, out);
    input().consume(used);
    advance(made);
    check_lzma(status);
    if (status == LZMA_STREAM_END) {
      end_block();
    } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
      end_wrong("the data of an xz block, or their checksum, are wrong");
    } else if (made == 0 && used == 0 && (in.empty() || status == LZMA_BUF_ERROR)) {
      end_cut("an xz block");
    }
    return made;
  }

  void end_block() {
    if (blocks_) {
      const lzma_ret status =
          ::lzma_index_hash_append(blocks_->get(), ::lzma_block_unpadded_size(&block_), block_.uncompressed_size);
      if (status != LZMA_OK) return end_wrong("the sizes of an xz block are wrong");
    }
    confirm();
    place_ = Place::block_head;
  }

  /// Compares the index with the blocks, or skips it if not all blocks were seen.
  void read_index() {
    if (!blocks_) return skip_index();
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK) {
      const auto in = input().peek();
      if (in.empty()) return end_cut("the index of an xz stream");
      std::size_t used = 0;
      status = ::lzma_index_hash_decode(blocks_->get(), octets(in), &used, in.size());
      input().consume(used);
    }
    if (status != LZMA_STREAM_END) return end_wrong("the index of an xz stream does not match its blocks");
    place_ = Place::stream_tail;
  }

  void skip_index() {
    lzma_index* index = nullptr;
    LzmaStream stream;
    lzma_ret status = ::lzma_index_decoder(stream.get(), &index, memory_);
    while (status == LZMA_OK) {
      const auto in = input().peek();
      if (in.empty()) return end_cut("the index of an xz stream");
      const auto step = stream.code(in, {});
      input().consume(step.used);
      status = step.status;
    }
    ::lzma_index_end(index, nullptr);
    check_lzma(status);
    if (status != LZMA_STREAM_END) return end_wrong("the index of an xz stream is wrong");
    place_ = Place::stream_tail;
  }

  void end_stream() {
    const auto tail = input().peek(LZMA_STREAM_HEADER_SIZE);
    if (tail.size() < LZMA_STREAM_HEADER_SIZE) return end_cut("the tail of an xz stream");
    lzma_stream_flags flags{};
    const bool known = ::lzma_stream_footer_decode(&flags, octets(tail)) == LZMA_OK;
    if (!known || flags.check != flags_.check) return end_wrong("the tail of an xz stream is wrong");
    if (blocks_ && flags.backward_size != ::lzma_index_hash_size(blocks_->get())) {
      return end_wrong("the tail of an xz stream is wrong");
    }
    input().consume(LZMA_STREAM_HEADER_SIZE);
    place_ = Place::stream_head;
  }

  std::uint64_t memory_;
  bool is_first_;  ///< no stream was seen yet
  Place place_ = Place::stream_head;
  lzma_stream_flags flags_{};
  LzmaStream stream_;
  Filters filters_;
  lzma_block block_{};
  std::optional<IndexHash> blocks_;  ///< of the present stream, if it was inflated from its beginning
};

/// The older container, .lzma: one stream without checksums or restart points.
class LzmaInflater final : public Inflater {
 public:
  LzmaInflater(CompressedInput& input, const RestartPoint& from, std::uint64_t memory)
      : Inflater(input, from, nullptr) {
    check_lzma(::lzma_alone_decoder(stream_.get(), memory));
  }

  [[nodiscard]] std::size_t inflate(std::span<std::byte> out) override {
    std::size_t total = 0;
    while (total < out.size() && !has_ended()) {
      const auto in = input().peek();
      const auto [status, used, made] = stream_.code(in, out.subspan(total));
      input().consume(used);
      advance(made);
      total += made;
      check_lzma(status);
      if (status == LZMA_STREAM_END) {
        confirm();
        end_here();
      } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
        end_wrong("the lzma data are wrong");
      } else if (made == 0 && used == 0 && (in.empty() || status == LZMA_BUF_ERROR)) {
        end_cut("the lzma data");
      }
    }
    return total;
  }

 private:
  LzmaStream stream_;
};

}  // namespace

std::unique_ptr<Inflater> make_xz_inflater(CompressedInput& input, const RestartPoint& from, RestartPoints* points,
                                           std::uint64_t memory_budget) {
  return std::make_unique<XzInflater>(input, from, points, lzma_memory(memory_budget));
}

std::unique_ptr<Inflater> make_lzma_inflater(CompressedInput& input, const RestartPoint& from,
                                             std::uint64_t memory_budget) {
  return std::make_unique<LzmaInflater>(input, from, lzma_memory(memory_budget));
}

std::unique_ptr<Inflater> make_inflater(Compression compression, CompressedInput& input, const RestartPoint& from,
                                        RestartPoints* points, std::uint64_t memory_budget) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_inflater(input, from, points);
    case Compression::xz:
      return make_xz_inflater(input, from, points, memory_budget);
    case Compression::lzma:
      return make_lzma_inflater(input, from, memory_budget);
    case Compression::none:
      break;
  }
  throw Error(ErrorKind::internal, "plain bytes are not inflated");
}

}  // namespace quire
