#include <algorithm>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/format/streams.hpp"

namespace quire {
namespace {

Error too_large(std::uint64_t bytes, std::uint64_t chunk_bytes) {
  return Error(ErrorKind::usage, "a piece of " + std::to_string(bytes) + " bytes does not fit into chunks of " +
                                     std::to_string(chunk_bytes))
      .advise("ask for larger chunks, or write smaller pieces: each stays in one chunk");
}

void add_origin(std::vector<StreamOrigin>& origins, std::int64_t rank, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (!origins.empty() && origins.back().rank == rank) {
    origins.back().bytes += bytes;
  } else {
    origins.push_back({rank, bytes});
  }
}

}  // namespace

std::uint64_t StreamFill::position() const {
  const std::uint64_t block = checked_multiply(chunks_.size() - 1, place_.skip);
  return checked_add(checked_add(place_.first, block), chunks_.back());
}

void StreamFill::ensure(std::uint64_t bytes) {
  if (bytes > place_.chunk_bytes) throw too_large(bytes, place_.chunk_bytes);
  if (bytes > left_in_chunk()) chunks_.push_back(0);
}

Extent StreamFill::add_whole(std::uint64_t bytes) {
  if (bytes == 0) return {};
  ensure(bytes);
  const Extent extent{position(), bytes};
  chunks_.back() += bytes;
  return extent;
}

std::vector<Extent> StreamFill::add_dense(std::uint64_t bytes) {
  if (bytes > 0 && place_.chunk_bytes == 0) {
    throw Error(ErrorKind::usage, "the chunks of this stream have a size of 0 bytes")
        .advise("ask for chunks of at least 1 byte");
  }
  std::vector<Extent> extents;
  while (bytes > 0) {
    if (left_in_chunk() == 0) chunks_.push_back(0);
    const std::uint64_t now = std::min(bytes, left_in_chunk());
    extents.push_back({position(), now});
    chunks_.back() += now;
    bytes -= now;
  }
  return extents;
}

GroupFill fill_group(const StreamPlace& collector, std::int64_t rank, std::span<const CollectorPiece> own,
                     std::span<const GroupMember> members) {
  StreamFill fill(collector);
  GroupFill result;
  const auto calls = static_cast<std::size_t>(std::ranges::count_if(own, &CollectorPiece::is_call));
  for (const GroupMember& member : members) {
    if (member.calls.size() != calls) {
      throw Error(ErrorKind::usage, "task " + std::to_string(rank) + " writes " + std::to_string(calls) +
                                        " pieces together with others, task " + std::to_string(member.rank) + " " +
                                        std::to_string(member.calls.size()))
          .advise("every task of a group calls the same number of times, with 0 bytes if it has none");
    }
    result.members.emplace_back(calls);
  }
  std::size_t call = 0;
  for (const CollectorPiece& piece : own) {
    result.own.push_back(fill.add_whole(piece.bytes));
    add_origin(result.use.origins, rank, piece.bytes);
    if (!piece.is_call) continue;
    for (std::size_t m = 0; m < members.size(); ++m) {
      std::uint64_t left = members[m].calls[call];
      add_origin(result.use.origins, members[m].rank, left);
      while (left > 0) {
        // Portions that fit into the current chunk are adjacent.
        const std::uint64_t room = fill.left_in_chunk() / collector.portion * collector.portion;
        const std::uint64_t now = std::min(left, std::max(room, collector.portion));
        result.members[m][call].push_back(fill.add_whole(now));
        left -= now;
      }
    }
    ++call;
  }
  result.use.chunks = fill.chunks();
  return result;
}

}  // namespace quire
