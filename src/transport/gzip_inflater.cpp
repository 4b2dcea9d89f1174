#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "transport/inflater.hpp"

namespace quire {
namespace {

constexpr std::size_t head_bytes = 10;
constexpr std::size_t tail_bytes = 8;
constexpr std::size_t window_bytes = 32 << 10;

// Bits of the flags in the head of a member (RFC 1952).
constexpr unsigned has_checksum = 0x02;
constexpr unsigned has_extra = 0x04;
constexpr unsigned has_name = 0x08;
constexpr unsigned has_comment = 0x10;
constexpr unsigned reserved = 0xe0;

// The detail of a restart point inside a member: this, plus the number of bits of the previous byte that are not used.
constexpr std::uint32_t inside_member = 8;

class ZlibStream {
 public:
  ZlibStream() {
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw_memory();
  }
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;
  ~ZlibStream() { ::inflateEnd(&stream_); }

  [[noreturn]] static void throw_memory() { throw Error(ErrorKind::memory, "not enough memory to inflate the file"); }
  [[nodiscard]] z_stream& operator*() noexcept { return stream_; }
  z_stream* operator->() noexcept { return &stream_; }
  z_stream* get() noexcept { return &stream_; }

 private:
  z_stream stream_{};
};

/// Consecutive gzip members. Heads and tails are parsed here, so that inflating can begin inside a member.
class GzipInflater final : public Inflater {
 public:
  GzipInflater(CompressedInput& input, const RestartPoint& from, RestartPoints* points)
      : Inflater(input, from, points), is_first_(from.input == 0) {
    if ((from.detail & inside_member) != 0) continue_inside(from);
  }

  [[nodiscard]] std::size_t inflate(std::span<std::byte> out) override {
    std::size_t made = 0;
    while (made < out.size() && !has_ended()) {
      if (place_ == Place::head) begin_member();
      if (place_ == Place::body && !has_ended()) made += inflate_body(out.subspan(made));
      if (place_ == Place::tail) end_member();
    }
    return made;
  }

 private:
  enum class Place : std::uint8_t { head, body, tail };

  void continue_inside(const RestartPoint& from) {
    const unsigned bits = from.detail & 7;
    if (bits != 0) {
      input().seek(from.input - 1);
      const auto shared = input().peek(1);
      if (shared.empty()) return end_cut("a gzip member");
      ::inflatePrime(stream_.get(), static_cast<int>(bits), std::to_integer<int>(shared.front()) >> (8 - bits));
      input().consume(1);
    }
    ::inflateSetDictionary(stream_.get(), reinterpret_cast<const Bytef*>(from.window.data()),
                           static_cast<uInt>(from.window.size()));
    has_whole_member_ = false;
    place_ = Place::body;
  }

  void begin_member() {
    const auto head = input().peek(head_bytes);
    if (compression_of(head) != Compression::gzip) {
      if (is_first_) return end_wrong("there is no gzip member");
      return end_here();
    }
    if (head.size() < head_bytes) return end_cut("the head of a gzip member");
    const unsigned method = std::to_integer<unsigned>(head[2]);
    const unsigned flags = std::to_integer<unsigned>(head[3]);
    if (method != Z_DEFLATED || (flags & reserved) != 0) return end_wrong("the head of a gzip member is wrong");
    if (!is_first_ && wants_point()) points()->add({input().position(), position(), 0});
    input().consume(head_bytes);
    if ((flags & has_extra) != 0) skip_extra();
    if ((flags & has_name) != 0) skip_text();
    if ((flags & has_comment) != 0) skip_text();
    if ((flags & has_checksum) != 0) skip(2);
    if (has_ended()) return;
    ::inflateReset(stream_.get());
    begin_ = position();
    checksum_ = libdeflate_crc32(0, nullptr, 0);
    has_whole_member_ = true;
    is_first_ = false;
    place_ = Place::body;
  }

  void skip(std::size_t count) {
    if (has_ended()) return;
    if (input().peek(count).size() < count) return end_cut("the head of a gzip member");
    input().consume(count);
  }

  void skip_extra() {
    const auto length = input().peek(2);
    if (length.size() < 2) return end_cut("the head of a gzip member");
    skip(std::size_t{2} + load<std::uint16_t>(length.data(), ByteOrder::little));
  }

  void skip_text() {
    while (!has_ended()) {
      const auto text = input().peek();
      if (text.empty()) return end_cut("the head of a gzip member");
      const auto zero = std::ranges::find(text, std::byte{0});
      const bool found = zero != text.end();
      input().consume(static_cast<std::size_t>(zero - text.begin()) + (found ? 1 : 0));
      if (found) return;
    }
  }

  [[nodiscard]] std::size_t inflate_body(std::span<std::byte> out) {
    const auto in = input().peek();
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_->avail_in = static_cast<uInt>(in.size());
    stream_->next_out = reinterpret_cast<Bytef*>(out.data());
    stream_->avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), std::numeric_limits<int>::max()));
    const uInt room = stream_->avail_out;
    const int status = ::inflate(stream_.get(), points() != nullptr ? Z_BLOCK : Z_NO_FLUSH);
    const std::size_t made = room - stream_->avail_out;
    const std::size_t used = in.size() - stream_->avail_in;
    input().consume(used);
    advance(made);
    if (has_whole_member_) checksum_ = libdeflate_crc32(checksum_, out.data(), made);
    if (status == Z_STREAM_END) {
      place_ = Place::tail;
    } else if (status == Z_MEM_ERROR) {
      ZlibStream::throw_memory();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      end_wrong("the gzip data are wrong" + (stream_->msg != nullptr ? ": " + std::string(stream_->msg) : ""));
    } else if (made == 0 && used == 0 && in.empty()) {
      end_cut("a gzip member");
    } else if (wants_point()) {
      remember();
    }
    return made;
  }

  /// Keeps a restart point if zlib is between two blocks of a member.
  void remember() {
    constexpr int after_block = 128;
    constexpr int in_last_block = 64;
    if ((stream_->data_type & after_block) == 0 || (stream_->data_type & in_last_block) != 0) return;
    std::vector<std::byte> window(window_bytes);
    uInt length = 0;
    ::inflateGetDictionary(stream_.get(), reinterpret_cast<Bytef*>(window.data()), &length);
    window.resize(length);
    const auto bits = static_cast<std::uint32_t>(stream_->data_type) & 7U;
    points()->add({input().position(), position(), inside_member | bits, std::move(window)});
  }

  void end_member() {
    const auto tail = input().peek(tail_bytes);
    if (tail.size() < tail_bytes) return end_cut("the tail of a gzip member");
    const auto checksum = load<std::uint32_t>(tail.data(), ByteOrder::little);
    const auto length = load<std::uint32_t>(tail.data() + 4, ByteOrder::little);
    if (has_whole_member_ && checksum != checksum_) {
      return end_wrong("the checksum of a gzip member does not match its data");
    }
    if (has_whole_member_ && length != static_cast<std::uint32_t>(position() - begin_)) {
      return end_wrong("the length of a gzip member does not match its data");
    }
    input().consume(tail_bytes);
    confirm();
    place_ = Place::head;
  }

  ZlibStream stream_;
  Place place_ = Place::head;
  bool is_first_;                 ///< no member was seen yet
  bool has_whole_member_ = true;  ///< inflated from its beginning, so that the checksum can be compared
  std::uint64_t begin_ = 0;       ///< of the member, in the inflated bytes
  std::uint32_t checksum_ = 0;
};

}  // namespace

std::unique_ptr<Inflater> make_gzip_inflater(CompressedInput& input, const RestartPoint& from, RestartPoints* points) {
  return std::make_unique<GzipInflater>(input, from, points);
}

}  // namespace quire
