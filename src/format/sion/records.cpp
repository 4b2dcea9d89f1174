#include "format/sion/records.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::sion {
namespace {

/// Reads the chunks of a stream forward.
class Walk {
 public:
  Walk(ByteSource& bytes, const StreamLayout& stream) : bytes_(bytes), stream_(stream), left_(stream.bytes()) {}

  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }
  /// The offset of the next byte in the file.
  [[nodiscard]] std::uint64_t offset() const {
    if (chunk_ < stream_.chunks.size()) return stream_.chunks[chunk_].offset + used_;
    return stream_.chunks.empty() ? 0 : stream_.chunks.back().offset + stream_.chunks.back().length;
  }

  /// Advances by `count` bytes, which must exist; reads them if `out` is not null.
  void advance(std::uint64_t count, std::byte* out) {
    left_ -= count;
    while (count > 0) {
      const Extent& chunk = stream_.chunks[chunk_];
      const std::uint64_t now = std::min(count, chunk.length - used_);
      if (out != nullptr) {
        const auto size = static_cast<std::size_t>(now);
        if (bytes_.read(chunk.offset + used_, {out, size}) != size) {
          throw Error(ErrorKind::bad_file, "the file ends too early").at(chunk.offset + used_);
        }
        out += now;
      }
      used_ += now;
      count -= now;
      if (used_ < chunk.length) continue;
      ++chunk_;
      used_ = 0;
    }
  }

 private:
  ByteSource& bytes_;
  const StreamLayout& stream_;
  std::size_t chunk_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t left_;
};

}  // namespace

void check_records(ByteSource& bytes, const StreamLayout& stream) {
  Walk walk(bytes, stream);
  while (walk.left() > 0) {
    const std::uint64_t begin = walk.offset();
    const auto wrong = [&](const std::string& what) {
      return Error(ErrorKind::bad_file, what).at(begin).on("stream of task " + std::to_string(stream.rank));
    };
    if (walk.left() < record_head_bytes) throw wrong("the stream ends inside the head of a record");
    std::array<std::byte, record_head_bytes> head;
    walk.advance(record_head_bytes, head.data());
    const auto length = load<std::uint64_t>(head.data() + 8, *stream.records);
    if (length > walk.left()) {
      throw wrong("a record of " + std::to_string(length) + " bytes does not fit into the " +
                  std::to_string(walk.left()) + " remaining bytes of the stream");
    }
    walk.advance(length, nullptr);
  }
}

void cut_after_records(ByteSource& bytes, StreamLayout& stream) {
  Walk walk(bytes, stream);
  const std::uint64_t all = walk.left();
  std::uint64_t kept = 0;
  while (walk.left() >= record_head_bytes) {
    std::array<std::byte, record_head_bytes> head;
    walk.advance(record_head_bytes, head.data());
    const auto length = load<std::uint64_t>(head.data() + 8, *stream.records);
    const bool is_nothing = std::ranges::all_of(head, [](std::byte byte) { return byte == std::byte{0}; });
    if (is_nothing || length > walk.left()) break;
    walk.advance(length, nullptr);
    kept = all - walk.left();
  }
  std::vector<Extent> chunks;
  for (Extent chunk : stream.chunks) {
    chunk.length = std::min(chunk.length, kept);
    kept -= chunk.length;
    if (chunk.length > 0) chunks.push_back(chunk);
  }
  stream.chunks = std::move(chunks);
}

}  // namespace quire::sion
