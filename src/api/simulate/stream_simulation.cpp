#include <algorithm>
#include <map>
#include <utility>

#include "api/simulate/step_simulation.hpp"
#include "api/write/write_streams.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire {
namespace {

using Kind = StreamPiece::Kind;

/// Memory that is never accessed: streams are separate in it, the pieces of each one are consecutive.
class Addresses {
 public:
  void begin_stream() { next_ += gap; }
  [[nodiscard]] std::span<const std::byte> piece(std::uint64_t bytes) {
    const auto* first = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(next_));
    next_ += bytes;
    return {first, static_cast<std::size_t>(bytes)};
  }

 private:
  static constexpr std::uint64_t gap = 4096;
  std::uint64_t next_ = 0;
};

/// The arguments of a collector and its members in their calls.
struct Group {
  std::vector<CollectorPiece> own;
  std::vector<GroupMember> members;
  GroupFill fill;
};

class StreamSimulation {
 public:
  StreamSimulation(StreamPlanner& planner, int ranks, const WriteSimulation::Streams& streams)
      : planner_(planner), ranks_(ranks), streams_(streams) {}

  void place(const std::string& path) {
    std::vector<StreamRequest> requests;
    each([&](int /*rank*/, const SimulatedStream& stream) { requests.push_back(request_of(stream)); });
    tasks_.reserve(requests.size());
    for (const StreamRequest& request : requests) tasks_.push_back(request.rank);
    places_ = planner_.place(requests, path, false);
    uses_.resize(places_.size());
  }

  [[nodiscard]] std::uint64_t end() const {
    std::uint64_t end = 0;
    for (const StreamPlace& place : places_) {
      if (member_of(place.first) == 0) end = std::max(end, place.first + place.chunk_bytes);
    }
    return end;
  }

  void run(PlanSink& sink) {
    if (planner_.merges()) fill_groups();
    std::uint64_t order = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      WritePlan plan;
      Addresses addresses;
      for (const SimulatedStream& stream : streams_(rank)) add(plan, stream, order++, addresses);
      coalesce(plan);
      sink.add(rank, trains_of(plan));
    }
    planner_.use(std::move(uses_));
  }

 private:
  template <class Use>
  void each(Use&& use) const {
    for (int rank = 0; rank < ranks_; ++rank) {
      for (const SimulatedStream& stream : streams_(rank)) use(rank, stream);
    }
  }

  [[nodiscard]] Kind kind_of(const SimulatedPiece& piece) const {
    if (piece.kind == SimulatedPiece::Kind::record) return Kind::record;
    return piece.kind == SimulatedPiece::Kind::together && planner_.merges() ? Kind::together : Kind::plain;
  }

  [[nodiscard]] StreamRequest request_of(const SimulatedStream& stream) const {
    StreamRequest request;
    request.rank = stream.options.rank;
    request.chunk_bytes = stream.options.chunk_bytes;
    request.file = stream.options.file;
    request.index = stream.options.index;
    request.bytes = 0;
    for (const SimulatedPiece& piece : stream.pieces) {
      const Kind kind = kind_of(piece);
      (kind == Kind::together ? request.together : *request.bytes) += piece.bytes;
      if (kind == Kind::record) *request.bytes += record_head_bytes;
    }
    return request;
  }

  [[nodiscard]] bool is_collector(std::uint64_t order) const { return place_of(order).collector == order; }
  [[nodiscard]] const StreamPlace& place_of(std::uint64_t order) const {
    return places_[static_cast<std::size_t>(order)];
  }

  void fill_groups() {
    std::uint64_t order = 0;
    each([&](int /*rank*/, const SimulatedStream& stream) {
      Group& group = groups_[place_of(order).collector];
      GroupMember member{order, stream.options.rank, {}};
      for (const SimulatedPiece& piece : stream.pieces) {
        const bool is_call = kind_of(piece) == Kind::together;
        if (is_collector(order)) group.own.push_back({is_call, piece.bytes});
        if (is_call) member.calls.push_back(piece.bytes);
      }
      if (!is_collector(order)) group.members.push_back(std::move(member));
      ++order;
    });
    members_.resize(places_.size());
    for (auto& [collector, group] : groups_) {
      const auto at = static_cast<std::size_t>(collector);
      std::ranges::sort(group.members, {}, &GroupMember::rank);
      group.fill = fill_group(places_[at], tasks_[at], group.own, group.members);
      uses_[at] = std::move(group.fill.use);
      for (std::size_t m = 0; m < group.members.size(); ++m) {
        members_[static_cast<std::size_t>(group.members[m].order)] = std::move(group.fill.members[m]);
      }
      group.members.clear();
    }
  }

  void add(WritePlan& plan, const SimulatedStream& stream, std::uint64_t order, Addresses& addresses) {
    const auto at = static_cast<std::size_t>(order);
    addresses.begin_stream();
    StreamWriter::State state;
    state.options = stream.options;
    state.fill.emplace(places_[at]);
    for (const SimulatedPiece& piece : stream.pieces) {
      state.pieces.push_back({.kind = kind_of(piece), .bytes = addresses.piece(piece.bytes), .key = 0, .room = 0});
    }
    if (planner_.merges()) add_merged(state, order);
    state.place_all(plan);
    if (!state.collects) uses_[at].chunks = state.fill->chunks();
  }

  /// The answer of rank 0.
  void add_merged(StreamWriter::State& state, std::uint64_t order) {
    state.collects = is_collector(order);
    state.merged.resize(state.pieces.size());
    std::size_t call = 0;
    for (std::size_t i = 0; i < state.pieces.size(); ++i) {
      if (state.collects) {
        state.merged[i] = {groups_[order].fill.own[i]};
      } else if (state.pieces[i].kind == Kind::together) {
        state.merged[i] = std::move(members_[static_cast<std::size_t>(order)].at(call++));
      }
    }
  }

  StreamPlanner& planner_;
  int ranks_;
  const WriteSimulation::Streams& streams_;
  std::vector<std::int64_t> tasks_;
  std::vector<StreamPlace> places_;
  std::vector<StreamUse> uses_;
  std::map<std::uint64_t, Group> groups_;
  std::vector<std::vector<std::vector<Extent>>> members_;  ///< by stream and call
};

}  // namespace

StepFrame simulate_streams(WritePlanner& planner, int ranks, const WriteSimulation::Streams& streams,
                           const std::string& path, bool lossy, PlanSink& sink) {
  StreamPlanner* stream_planner = planner.capabilities().streams;
  if (stream_planner == nullptr) throw Error(ErrorKind::unsupported, "files of this format have no streams");
  StepPart root;
  root.description = planner.accept({}, lossy);
  StreamSimulation simulation(*stream_planner, ranks, streams);
  simulation.place(path);
  StepFrame frame;
  for (const Extent& extent : extents_of(stream_planner->title())) frame.guard.push_back(extent);
  frame.end = simulation.end();
  sink.begin(0, frame.end);
  simulation.run(sink);
  finish_step(planner, root, {}, frame);
  return frame;
}

WriteSimulation::Streams streams_of(const Workload& workload, bool keyed) {
  SimulatedStream stream;
  stream.options.chunk_bytes = workload.rules().streams.chunk_bytes;
  const auto kind = keyed ? SimulatedPiece::Kind::record : SimulatedPiece::Kind::together;
  for (const std::uint64_t bytes : workload.pieces()) stream.pieces.push_back({kind, bytes});
  return [stream](int rank) mutable {
    stream.options.rank = rank;
    return std::vector<SimulatedStream>{stream};
  };
}

}  // namespace quire
