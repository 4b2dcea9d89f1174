#include "format/nektar/xml/payload.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::size_t compressed_at_once = std::size_t{64} << 10;
constexpr std::size_t doubles_at_once = PayloadWriter::doubles_at_once;

/// Converts doubles between the byte order of a file and the native one, in place.
void reorder(std::span<double> values, ByteOrder order) {
  if (order == native_order) return;
  for (double& value : values) {
    auto bytes = std::as_writable_bytes(std::span(&value, 1));
    std::ranges::reverse(bytes);
  }
}

}  // namespace

struct PayloadReader::Stream {
  z_stream zlib{};
  bool ended = false;
  Stream() {
    if (inflateInit(&zlib) != Z_OK) throw Error(ErrorKind::memory, "not enough memory for zlib");
  }
  ~Stream() { inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

PayloadReader::PayloadReader(ByteSource& bytes, const Extent& text, std::uint64_t values, ByteOrder order)
    : bytes_(bytes), text_(text), values_(values), order_(order) {}

PayloadReader::~PayloadReader() = default;

void PayloadReader::refuse(const std::string& what) const {
  throw Error(ErrorKind::bad_file, "the values of a block " + what).at(place_);
}

void PayloadReader::begin() {
  stream_ = std::make_unique<Stream>();
  decoder_ = {};
  position_ = 0;
  characters_.emplace(bytes_, text_);
  piece_ = {};
  place_ = text_.offset;
  compressed_.clear();
}

void PayloadReader::refill() {
  for (;;) {
    if (piece_.empty()) {
      piece_ = characters_->next();
      if (piece_.empty()) break;
      place_ = characters_->piece_at();
    }
    compressed_.resize(compressed_at_once);
    const std::uint64_t before = decoder_.error_at();
    const auto step = decoder_.decode(piece_, compressed_);
    if (!step) {
      const std::uint64_t place = place_ + (decoder_.error_at() - before);
      piece_ = {};
      throw Error(ErrorKind::bad_file, "the values of a block are not valid base64").at(place);
    }
    piece_.remove_prefix(step->used);
    place_ += step->used;
    compressed_.resize(step->made);
    if (step->made > 0) return;
  }
  compressed_.clear();
  if (!decoder_.may_end()) refuse("end in the middle of a byte");
}

void PayloadReader::inflate_into(std::span<std::byte> out) {
  z_stream& zlib = stream_->zlib;
  while (!out.empty()) {
    if (stream_->ended) refuse("are fewer than its elements need");
    if (zlib.avail_in == 0) {
      refill();
      if (compressed_.empty()) refuse("are truncated");
      zlib.next_in = reinterpret_cast<Bytef*>(compressed_.data());
      zlib.avail_in = static_cast<uInt>(compressed_.size());
    }
    const std::size_t room = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&zlib, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) refuse("are not a zlib stream");
    stream_->ended = status == Z_STREAM_END;
    out = out.subspan(room - zlib.avail_out);
  }
}

void PayloadReader::expect_end() {
  z_stream& zlib = stream_->zlib;
  std::array<Bytef, 1> more{};
  while (!stream_->ended) {
    if (zlib.avail_in == 0) {
      refill();
      if (compressed_.empty()) refuse("are truncated");
      zlib.next_in = reinterpret_cast<Bytef*>(compressed_.data());
      zlib.avail_in = static_cast<uInt>(compressed_.size());
    }
    zlib.next_out = more.data();
    zlib.avail_out = more.size();
    const int status = ::inflate(&zlib, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) refuse("are not a zlib stream");
    if (zlib.avail_out == 0) refuse("are more than its elements need");
    stream_->ended = status == Z_STREAM_END;
  }
  std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(zlib.next_in), zlib.avail_in);
  for (;;) {
    if (std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{}; })) {
      refuse("are followed by other data");
    }
    refill();
    if (compressed_.empty()) break;
    rest = compressed_;
  }
  zlib.avail_in = 0;
}

void PayloadReader::read(std::uint64_t first, std::span<double> out) {
  try {
    read_on(first, out);
  } catch (const Error&) {
    stream_.reset();  // no read continues after damage
    throw;
  }
}

void PayloadReader::read_on(std::uint64_t first, std::span<double> out) {
  if (!stream_ || first < position_) begin();
  std::vector<double> skipped;
  while (position_ < first) {
    skipped.resize(static_cast<std::size_t>(std::min<std::uint64_t>(doubles_at_once, first - position_)));
    inflate_into(std::as_writable_bytes(std::span(skipped)));
    position_ += skipped.size();
  }
  inflate_into(std::as_writable_bytes(out));
  reorder(out, order_);
  position_ += out.size();
  if (position_ == values_ && !out.empty()) expect_end();
}

// ---- Writing

struct PayloadWriter::Stream {
  z_stream zlib{};
  Stream() {
    if (deflateInit(&zlib, Z_DEFAULT_COMPRESSION) != Z_OK) {
      throw Error(ErrorKind::memory, "not enough memory for zlib");
    }
  }
  ~Stream() { deflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

PayloadWriter::PayloadWriter(Take take) : take_(std::move(take)), stream_(std::make_unique<Stream>()) {}

PayloadWriter::~PayloadWriter() = default;

void PayloadWriter::encode(bool last) {
  if (last) compressed_.resize((compressed_.size() + 2) / 3 * 3);  // zero bytes, not the padding of base64
  const std::size_t whole = compressed_.size() / 3 * 3;
  std::string text;
  kernels::encode_base64(std::span(compressed_).first(whole), text);
  compressed_.erase(compressed_.begin(), compressed_.begin() + static_cast<std::ptrdiff_t>(whole));
  if (!text.empty()) take_(text);
}

void PayloadWriter::deflate(std::span<const std::byte> bytes, bool last) {
  z_stream& zlib = stream_->zlib;
  // zlib only reads the bytes at next_in.
  zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  int status = Z_OK;
  do {
    const std::size_t before = compressed_.size();
    compressed_.resize(before + compressed_at_once);
    zlib.next_out = reinterpret_cast<Bytef*>(compressed_.data() + before);
    zlib.avail_out = static_cast<uInt>(compressed_at_once);
    status = ::deflate(&zlib, last ? Z_FINISH : Z_NO_FLUSH);
    compressed_.resize(compressed_.size() - zlib.avail_out);
    encode(false);
  } while (zlib.avail_out == 0 || (last && status != Z_STREAM_END));
}

void PayloadWriter::add(std::span<const double> values) {
  if constexpr (native_order == ByteOrder::little) {
    while (!values.empty()) {
      const auto part = values.first(std::min(values.size(), doubles_at_once));
      deflate(std::as_bytes(part), false);
      values = values.subspan(part.size());
    }
  } else {
    std::vector<double> swapped;
    while (!values.empty()) {
      const auto part = values.first(std::min(values.size(), doubles_at_once));
      swapped.assign(part.begin(), part.end());
      reorder(swapped, ByteOrder::little);
      deflate(std::as_bytes(std::span<const double>(swapped)), false);
      values = values.subspan(part.size());
    }
  }
}

void PayloadWriter::finish() {
  deflate({}, true);
  encode(true);
}

}  // namespace quire::nektar
