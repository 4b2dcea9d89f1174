#include "support/stream_sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t pieces = 4;
constexpr std::uint64_t chunk_bytes = 70;

std::byte value(std::int64_t task, std::uint64_t at) {
  return static_cast<std::byte>((static_cast<std::uint64_t>(task) * 131 + at * 7 + (at >> 8) * 13 + 17) & 0xFF);
}

}  // namespace

std::uint64_t StreamSample::piece_bytes(std::int64_t task, std::uint64_t piece) {
  if (task % 5 == 3) return 0;
  return (static_cast<std::uint64_t>(task) * 29 + piece * 17) % (chunk_bytes + 1);
}

std::vector<std::byte> StreamSample::bytes(std::int64_t task) const {
  std::vector<std::byte> all;
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    for (std::uint64_t i = 0; i < piece_bytes(task, piece); ++i) all.push_back(value(task, all.size()));
  }
  return all;
}

void StreamSample::fill(WriteStep& step, const Comm& comm) {
  for (std::int64_t task = 0; task < tasks_; ++task) {
    if (!is_mine(task, comm)) continue;
    StreamWriter stream = step.stream({.rank = task, .chunk_bytes = chunk_bytes});
    const std::vector<std::byte>& all = kept_.emplace_back(bytes(task));
    std::size_t done = 0;
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const auto part = std::span(all).subspan(done, static_cast<std::size_t>(piece_bytes(task, piece)));
      done += part.size();
      if (keyed_) {
        stream.write_record(piece % 2, part);
      } else {
        stream.write_together(part);
      }
    }
  }
}

std::vector<SimulatedStream> StreamSample::streams(int rank, int ranks) const {
  const auto kind = keyed_ ? SimulatedPiece::Kind::record : SimulatedPiece::Kind::together;
  std::vector<SimulatedStream> streams;
  for (std::int64_t task = rank; task < tasks_; task += ranks) {
    SimulatedStream& stream = streams.emplace_back();
    stream.options = {.rank = task, .chunk_bytes = chunk_bytes};
    for (std::uint64_t piece = 0; piece < pieces; ++piece) stream.pieces.push_back({kind, piece_bytes(task, piece)});
  }
  return streams;
}

std::string StreamSample::difference(const StreamReader& stream) const {
  const std::string name = "task " + std::to_string(stream.rank());
  std::vector<std::byte> found;
  if (keyed_) {
    const auto records = stream.records();
    if (records.size() != pieces) return name + ": the number of records";
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const StreamRecord& record = records[static_cast<std::size_t>(piece)];
      if (record.key != piece % 2 || record.bytes != piece_bytes(stream.rank(), piece)) return name + ": a record";
      std::vector<std::byte> part(static_cast<std::size_t>(record.bytes));
      if (stream.read_at(record.offset, part) != part.size()) return name + ": bytes of a record are missing";
      found.insert(found.end(), part.begin(), part.end());
    }
  } else {
    found.resize(static_cast<std::size_t>(stream.size()));
    if (stream.read_at(0, found) != found.size()) return name + ": bytes are missing";
  }
  return found == bytes(stream.rank()) ? "" : name + ": its bytes";
}

}  // namespace quire::test
