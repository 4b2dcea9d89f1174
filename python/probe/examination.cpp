#include "examination.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "plain_file.hpp"
#include "quire/base/error.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

constexpr std::uint64_t window = 1 << 20;
/// Beyond the last piece of a pattern with a background.
constexpr std::uint64_t margin = 333;
constexpr std::byte untouched{0xEE};

/// Everything that all ranks write, by rising offset.
std::vector<Extent> all_pieces(const Pattern& pattern, int ranks, const Sizes& sizes) {
  std::vector<Extent> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Extent> some = pattern.pieces(rank, ranks, sizes);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all, {}, &Extent::offset);
  return all;
}

std::uint64_t end_of(const std::vector<Extent>& sorted) {
  return sorted.empty() ? 0 : sorted.back().offset + sorted.back().length;
}

std::vector<std::byte> content_of(const std::vector<Extent>& extents) {
  std::vector<std::byte> memory;
  for (const Extent& extent : extents) {
    const std::size_t position = memory.size();
    memory.resize(position + static_cast<std::size_t>(extent.length));
    fill_content(extent.offset, std::span(memory).subspan(position));
  }
  return memory;
}

/// What should stand in a part of the file.
std::vector<std::byte> expected(const Pattern& pattern, const std::vector<Extent>& pieces, std::uint64_t offset,
                                std::uint64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  if (pattern.has_background) fill_background(offset, bytes);
  auto piece = std::ranges::partition_point(
      pieces, [&](const Extent& extent) { return extent.offset + extent.length <= offset; });
  for (; piece != pieces.end() && piece->offset < offset + length; ++piece) {
    const std::uint64_t begin = std::max(piece->offset, offset);
    const std::uint64_t end = std::min(piece->offset + piece->length, offset + length);
    fill_content(begin, std::span(bytes).subspan(static_cast<std::size_t>(begin - offset),
                                                 static_cast<std::size_t>(end - begin)));
  }
  return bytes;
}

void throw_if(const Damage& damage, const std::string& lead) {
  if (damage.wrong == 0) return;
  throw Error(ErrorKind::bad_file, lead + ": " + std::to_string(damage.wrong) + " bytes are wrong, the first is " +
                                       std::to_string(damage.found) + " instead of " + std::to_string(damage.expected))
      .at(damage.first_offset);
}

/// Looks at [begin, end) of the file.
void judge(const PlainFile& file, const Pattern& pattern, const std::vector<Extent>& pieces, std::uint64_t begin,
           std::uint64_t end, Damage& damage) {
  std::vector<std::byte> found;
  for (std::uint64_t at = begin; at < end; at += window) {
    const std::uint64_t length = std::min(window, end - at);
    found.resize(static_cast<std::size_t>(length));
    file.read(at, found);
    damage.compare(at, expected(pattern, pieces, at, length), found);
  }
}

class Examination {
 public:
  Examination(Comm& comm, Method& method, const Pattern& pattern, const Sizes& sizes, const std::string& path)
      : comm_(comm),
        method_(method),
        pattern_(pattern),
        path_(path),
        mine_(pattern.pieces(comm.rank(), comm.size(), sizes)),
        next_(pattern.pieces((comm.rank() + 1) % comm.size(), comm.size(), sizes)),
        all_(all_pieces(pattern, comm.size(), sizes)) {}

  void run() {
    together(comm_, [&] { prepare(); });
    together(comm_, [&] { write(); });
    together(comm_, [&] { look(); });
    together(comm_, [&] { read(); });
  }

 private:
  void prepare() {
    if (!comm_.is_root()) return;
    ::unlink(path_.c_str());
    if (!pattern_.has_background) return;
    const PlainFile file(path_, O_WRONLY | O_CREAT | O_TRUNC);
    std::vector<std::byte> bytes(static_cast<std::size_t>(end_of(all_) + margin));
    fill_background(0, bytes);
    file.write(0, bytes);
  }

  void write() {
    std::vector<std::byte> memory = content_of(mine_);
    method_.write(comm_, path_, {mine_, memory});
  }

  /// The judge: each rank looks at its share of the file, or, of one that is mostly a hole, at another's pieces.
  void look() const {
    const PlainFile file(path_, O_RDONLY);
    const std::uint64_t end = end_of(all_) + (pattern_.has_background ? margin : 0);
    if (file.size() != end) {
      throw Error(ErrorKind::bad_file,
                  "the file has " + std::to_string(file.size()) + " bytes instead of " + std::to_string(end));
    }
    Damage damage;
    if (pattern_.is_sparse) {
      for (const Extent& extent : next_) {
        judge(file, pattern_, all_, extent.offset, extent.offset + extent.length, damage);
      }
    } else {
      const auto ranks = static_cast<std::uint64_t>(comm_.size());
      const auto rank = static_cast<std::uint64_t>(comm_.rank());
      judge(file, pattern_, all_, end * rank / ranks, end * (rank + 1) / ranks, damage);
    }
    throw_if(damage, "the file is not what was written");
  }

  void read() {
    std::uint64_t bytes = 0;
    for (const Extent& extent : next_) bytes += extent.length;
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes), untouched);
    method_.read(comm_, path_, {next_, memory});
    Damage damage;
    std::size_t position = 0;
    std::vector<std::byte> should;
    for (const Extent& extent : next_) {
      for (std::uint64_t done = 0; done < extent.length; done += window) {
        should.resize(static_cast<std::size_t>(std::min(window, extent.length - done)));
        fill_content(extent.offset + done, should);
        damage.compare(extent.offset + done, should, std::span(memory).subspan(position, should.size()));
        position += should.size();
      }
    }
    throw_if(damage, "reading gives other bytes than the file has");
  }

  Comm& comm_;
  Method& method_;
  const Pattern& pattern_;
  const std::string& path_;
  std::vector<Extent> mine_;
  std::vector<Extent> next_;  ///< of the next rank, which this one checks and reads
  std::vector<Extent> all_;
};

/// What the system says to a file that ends at `end`, for a library may keep to itself why it has failed; else nothing.
std::string refusal(const std::string& path, std::uint64_t end) {
  try {
    const PlainFile file(path, O_WRONLY | O_CREAT);
    if (end > 0) file.write(end - 1, std::array{std::byte{}});
  } catch (const Error& error) {
    return std::string("; a plain write: ") + error.what();
  }
  return {};
}

}  // namespace

Outcome examine(Comm& comm, Method& method, const Pattern& pattern, const Sizes& sizes, const std::string& path) {
  try {
    Examination(comm, method, pattern, sizes, path).run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_file) return {"wrong", error.what()};
    return {"error",
            error.what() + (comm.is_root() ? refusal(path, end_of(all_pieces(pattern, comm.size(), sizes))) : "")};
  }
  return {"right", {}};
}

}  // namespace quire::probe
