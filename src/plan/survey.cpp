#include "quire/spi/plan/survey.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "plan/lock_table.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire {
namespace {

/// Bytes of a train in one unit of a file.
struct Visit {
  std::uint64_t unit = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pieces = 0;  ///< number of extents, or parts of them
};

/// Iterates over the units of so many bytes that a train touches. `partial` is called for those that no single extent
/// covers, `whole` with the number of consecutive units that one extent covers.
template <class Partial, class Whole>
void each_unit(const ExtentTrain& train, std::uint64_t unit_bytes, Partial&& partial, Whole&& whole) {
  for (std::uint64_t i = 0; i < train.count;) {
    const std::uint64_t begin = train.offset + i * train.step;
    const std::uint64_t end = begin + train.length;
    const std::uint64_t unit = begin / unit_bytes;
    const std::uint64_t limit = (unit + 1) * unit_bytes;
    if (end <= limit && train.length < unit_bytes) {
      // All of them that end in this unit are equal.
      const std::uint64_t more = train.step == 0 ? train.count - i - 1 : (limit - end) / train.step;
      const std::uint64_t count = std::min(train.count - i, more + 1);
      partial(Visit{unit, count * train.length, count});
      i += count;
      continue;
    }
    const std::uint64_t last = (end - 1) / unit_bytes;
    const bool begins_inside = begin != unit * unit_bytes;
    const bool ends_inside = end != (last + 1) * unit_bytes;
    if (begins_inside) partial(Visit{unit, limit - begin, 1});
    const std::uint64_t first_whole = unit + (begins_inside ? 1 : 0);
    const std::uint64_t end_whole = last + (ends_inside ? 0 : 1);
    if (end_whole > first_whole) whole(first_whole, end_whole - first_whole);
    if (ends_inside) partial(Visit{last, end - last * unit_bytes, 1});
    ++i;
  }
}

/// The number of extents of a train that cross the end of a unit, and the number of crossings.
std::pair<std::uint64_t, std::uint64_t> crossings_of(const ExtentTrain& train, std::uint64_t unit_bytes) {
  std::uint64_t extents = 0;
  std::uint64_t times = 0;
  for (std::uint64_t i = 0; i < train.count;) {
    const std::uint64_t begin = train.offset + i * train.step;
    const std::uint64_t end = begin + train.length;
    const std::uint64_t crossed = (end - 1) / unit_bytes - begin / unit_bytes;
    if (crossed == 0) {
      const std::uint64_t left = (begin / unit_bytes + 1) * unit_bytes - end;
      i += (train.step == 0 ? train.count : left / train.step) + 1;
      continue;
    }
    ++extents;
    times += crossed;
    ++i;
  }
  return {extents, times};
}

/// Cuts an extent as a transport does: pieces end on pages, and of ready bytes a small rest joins the last one.
template <class Use>
void each_piece(const ExtentTrain& train, std::uint64_t limit, Use&& use) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t room = limit > page ? limit - train.offset % page : limit;
  const std::uint64_t first = std::min(train.length, room);
  const std::uint64_t left = train.length - first;
  const auto is_absorbed = [&](std::uint64_t rest) { return !train.staged && rest < limit / 8; };
  if (is_absorbed(left)) return use(train.length, 1);
  use(first, 1);
  const std::uint64_t whole = left / limit;
  const std::uint64_t rest = left % limit;
  if (whole > 0 && is_absorbed(rest)) {
    use(limit, whole - 1);
    use(limit + rest, 1);
  } else {
    use(limit, whole);
    use(rest, 1);
  }
}

void check(const StorageLayout& layout, int ranks) {
  if (ranks < 1) throw Error(ErrorKind::usage, "the number of ranks must be positive");
  if (layout.stripe_bytes == 0 || layout.stripes == 0 || layout.request_bytes == 0 || layout.staging_bytes == 0) {
    throw Error(ErrorKind::usage, "a file has at least one stripe, and stripes and requests have bytes");
  }
  if (layout.stripes > layout.targets) {
    throw Error(ErrorKind::usage, "a file cannot be spread over " + std::to_string(layout.stripes) + " of " +
                                      std::to_string(layout.targets) + " targets");
  }
}

}  // namespace

std::vector<Extent> extents_of(std::span<const ExtentTrain> trains) {
  std::vector<Extent> extents;
  for (const ExtentTrain& train : trains) {
    for (std::uint64_t i = 0; i < train.count; ++i) extents.push_back({train.offset + i * train.step, train.length});
  }
  return extents;
}

void Spread::add(std::uint64_t value, std::uint64_t who) noexcept {
  if (count == 0 || value > most) most_at = who;
  least = count == 0 ? value : std::min(least, value);
  most = std::max(most, value);
  sum += value;
  ++count;
}

struct WriteSurvey::State {
  StorageLayout layout;
  int ranks;
  LockTable locks;
  SurveyResult sums;
  std::array<SizeClass, 65> sizes{};
  std::vector<std::uint64_t> ends;     ///< of the files, by member; 0: not written
  std::vector<bool> opened;            ///< by rank: the first file
  std::vector<bool> root_opened;       ///< by member, of rank 0, which writes several times in a step
  std::vector<bool> wrote;             ///< by rank: anything
  std::uint64_t domain_begin = 0;      ///< of the first aggregator
  std::uint64_t domain_bytes = 0;      ///< of each; 0: no aggregators
  std::vector<ExtentTrain> requests;   ///< of the current rank
  std::vector<std::uint64_t> members;  ///< to which it writes
  std::optional<int> rank;             ///< whose bytes are being counted
  std::uint64_t rank_bytes = 0;
  std::uint64_t rank_requests = 0;

  State(const StorageLayout& given, int count)
      : layout(given),
        ranks(count),
        locks(given.lock_entries),
        opened(static_cast<std::size_t>(count)),
        wrote(static_cast<std::size_t>(count)) {
    if (layout.lock_bytes == 0) layout.lock_bytes = layout.stripe_bytes;
    sums.targets.resize(static_cast<std::size_t>(layout.targets));
    const auto nodes = [&] {
      return (static_cast<std::uint64_t>(ranks) + layout.ranks_per_node - 1) / layout.ranks_per_node;
    };
    const std::uint64_t aggregators = layout.aggregators != 0      ? layout.aggregators
                                      : layout.ranks_per_node != 0 ? nodes()
                                                                   : 0;
    sums.aggregators.resize(static_cast<std::size_t>(aggregators));
  }

  std::uint64_t& end_of(std::uint64_t member) {
    const auto at = static_cast<std::size_t>(member);
    if (ends.size() <= at) ends.resize(at + 1, 0);
    return ends[at];
  }
  void join(std::span<const ExtentTrain> trains, bool may_join);
  void count_request(std::uint64_t length, std::uint64_t times);
  void count_sizes(const ExtentTrain& train);
  void count_targets(const ExtentTrain& train);
  void count_locks(const ExtentTrain& train);
  void count_aggregators(const ExtentTrain& train);
  void count_files(int of_rank);
  void take(int of_rank, std::span<const ExtentTrain> trains, bool is_shared);
  void leave_rank();
  void finish_rank();
};

/// Joins extents that are adjacent in the file and pass through the buffer.
void WriteSurvey::State::join(std::span<const ExtentTrain> trains, bool may_join) {
  requests.clear();
  for (ExtentTrain train : trains) {
    if (train.length == 0 || train.count == 0) continue;
    sums.extents += train.count;
    sums.bytes += train.count * train.length;
    train.staged = train.staged || train.length < layout.join_below;
    if (train.staged && train.step == train.length && may_join) {
      train = {train.offset, train.count * train.length, 0, 1, true};
    }
    if (may_join && !requests.empty() && train.count == 1 && train.staged) {
      ExtentTrain& before = requests.back();
      if (before.staged && before.count == 1 && before.offset + before.length == train.offset) {
        before.length += train.length;
        continue;
      }
    }
    requests.push_back(train);
  }
}

void WriteSurvey::State::count_request(std::uint64_t length, std::uint64_t times) {
  SizeClass& size = sizes[static_cast<std::size_t>(std::bit_width(length - 1))];
  size.requests += times;
  size.bytes += length * times;
  sums.requests += times;
  rank_requests += times;
}

void WriteSurvey::State::count_sizes(const ExtentTrain& train) {
  const std::uint64_t limit =
      std::min(layout.request_bytes, train.staged ? layout.staging_bytes : layout.request_bytes);
  each_piece(train, limit, [&](std::uint64_t length, std::uint64_t times) {
    if (length > 0 && times > 0) count_request(length, times * train.count);
  });
  rank_bytes += train.length * train.count;
}

void WriteSurvey::State::count_targets(const ExtentTrain& train) {
  const std::uint64_t member = member_of(train.offset);
  ExtentTrain local = train;
  local.offset = offset_in(train.offset);
  // The stripes of the files of a set begin one after another.
  const std::uint64_t first = member * layout.stripes;
  const auto target = [&](std::uint64_t stripe) -> Load& {
    return sums.targets[static_cast<std::size_t>((first + stripe % layout.stripes) % layout.targets)];
  };
  each_unit(
      local, layout.stripe_bytes,
      [&](const Visit& visit) {
        Load& load = target(visit.unit);
        load.bytes += visit.bytes;
        load.requests += visit.pieces;
      },
      [&](std::uint64_t stripe, std::uint64_t count) {
        for (std::uint64_t i = 0; i < std::min(count, layout.stripes); ++i) {
          const std::uint64_t mine = (count - i + layout.stripes - 1) / layout.stripes;
          Load& load = target(stripe + i);
          load.bytes += mine * layout.stripe_bytes;
          load.requests += mine;
        }
      });
  const auto [extents, times] = crossings_of(local, layout.stripe_bytes);
  sums.crossing += extents;
  sums.crossings += times;
}

void WriteSurvey::State::count_locks(const ExtentTrain& train) {
  const std::uint64_t member = member_of(train.offset) << member_shift;
  ExtentTrain local = train;
  local.offset = offset_in(train.offset);
  // No other rank touches what one extent covers completely.
  each_unit(
      local, layout.lock_bytes,
      [&](const Visit& visit) { locks.touch(member | visit.unit, static_cast<std::uint32_t>(*rank)); },
      [](std::uint64_t, std::uint64_t) {});
}

void WriteSurvey::State::count_aggregators(const ExtentTrain& train) {
  if (sums.aggregators.empty()) return;
  const auto all = sums.aggregators.size();
  const auto own = static_cast<std::uint64_t>(*rank);
  const auto give = [&](std::size_t aggregator, std::uint64_t home, std::uint64_t bytes, std::uint64_t pieces) {
    Load& load = sums.aggregators[aggregator];
    load.bytes += bytes;
    load.requests += pieces;
    if (home == own) return;
    sums.messages += pieces;
    sums.message_bytes += bytes;
  };
  if (layout.aggregators == 0) {
    const std::uint64_t node = own / layout.ranks_per_node;
    const std::uint64_t pieces = train.count * ((train.length + layout.request_bytes - 1) / layout.request_bytes);
    give(static_cast<std::size_t>(node), node * layout.ranks_per_node, train.count * train.length, pieces);
    return;
  }
  if (domain_bytes == 0 || member_of(train.offset) != 0) return;
  ExtentTrain local = train;
  local.offset -= std::min(domain_begin, train.offset);
  const auto home = [&](std::size_t aggregator) { return aggregator * static_cast<std::uint64_t>(ranks) / all; };
  const auto domain = [&](std::uint64_t unit) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(unit, all - 1));
  };
  each_unit(
      local, domain_bytes,
      [&](const Visit& visit) { give(domain(visit.unit), home(domain(visit.unit)), visit.bytes, visit.pieces); },
      [&](std::uint64_t unit, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) give(domain(unit + i), home(domain(unit + i)), domain_bytes, 1);
      });
}

void WriteSurvey::State::count_files(int of_rank) {
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  for (const std::uint64_t member : members) {
    if (member != 0) {
      const auto at = static_cast<std::size_t>(member);
      if (of_rank == 0 && root_opened.size() <= at) root_opened.resize(at + 1, false);
      if (of_rank != 0 || !root_opened[at]) ++sums.opens;
      if (of_rank == 0) root_opened[at] = true;
    } else if (!opened[static_cast<std::size_t>(of_rank)]) {
      opened[static_cast<std::size_t>(of_rank)] = true;
      ++sums.opens;
    }
  }
  members.clear();
}

void WriteSurvey::State::take(int of_rank, std::span<const ExtentTrain> trains, bool is_shared) {
  if (rank && *rank != of_rank) finish_rank();
  rank = of_rank;
  join(trains, is_shared);
  for (const ExtentTrain& train : requests) {
    members.push_back(member_of(train.offset));
    std::uint64_t& end = end_of(member_of(train.offset));
    end = std::max(end, offset_in(train.offset) + (train.count - 1) * train.step + train.length);
    count_sizes(train);
    count_targets(train);
    if (!is_shared) continue;
    count_locks(train);
    count_aggregators(train);
  }
  if (members.size() > 1) members.erase(std::unique(members.begin(), members.end()), members.end());
}

void WriteSurvey::State::leave_rank() {
  count_files(*rank);
  rank_bytes = 0;
  rank_requests = 0;
  rank.reset();
}

void WriteSurvey::State::finish_rank() {
  if (!rank) return;
  if (rank_bytes > 0) wrote[static_cast<std::size_t>(*rank)] = true;
  sums.bytes_of_rank.add(rank_bytes, static_cast<std::uint64_t>(*rank));
  sums.requests_of_rank.add(rank_requests, static_cast<std::uint64_t>(*rank));
  leave_rank();
}

WriteSurvey::WriteSurvey(const StorageLayout& layout, int ranks) {
  check(layout, ranks);
  state_ = std::make_unique<State>(layout, ranks);
}

WriteSurvey::~WriteSurvey() = default;

void WriteSurvey::begin(std::uint64_t from, std::uint64_t end) {
  state_->finish_rank();
  state_->end_of(0) = std::max(state_->end_of(0), end);
  if (state_->layout.aggregators == 0) return;
  const std::uint64_t each = (end - std::min(from, end)) / state_->layout.aggregators;
  state_->domain_begin = from / state_->layout.stripe_bytes * state_->layout.stripe_bytes;
  state_->domain_bytes = round_up(std::max<std::uint64_t>(each, 1), state_->layout.stripe_bytes);
}

void WriteSurvey::add(int rank, std::span<const ExtentTrain> trains) { state_->take(rank, trains, true); }

void WriteSurvey::add_alone(std::span<const Extent> extents) {
  std::vector<ExtentTrain> trains;
  state_->finish_rank();
  for (const Extent& extent : extents) {
    trains.push_back({extent.offset, extent.length, 0, 1, false});
    if (extent.length == 0) state_->end_of(member_of(extent.offset)) = offset_in(extent.offset);
  }
  state_->take(0, trains, false);
  state_->leave_rank();
}

SurveyResult WriteSurvey::result() const {
  state_->finish_rank();
  SurveyResult result = state_->sums;
  for (std::size_t i = 0; i < state_->sizes.size(); ++i) {
    SizeClass size = state_->sizes[i];
    if (size.requests == 0) continue;
    size.limit = i < 64 ? std::uint64_t{1} << i : std::numeric_limits<std::uint64_t>::max();
    result.sizes.push_back(size);
  }
  for (const std::uint64_t end : state_->ends) {
    result.files += end > 0 ? 1 : 0;
    result.file_bytes += end;
  }
  const LockTable::Sums locks = state_->locks.sums();
  result.shared_units = locks.shared;
  result.conflicts = locks.conflicts;
  result.most_sharers = std::min(locks.most, static_cast<std::uint64_t>(state_->ranks));
  result.writers = static_cast<std::uint64_t>(std::ranges::count(state_->wrote, true));
  result.sampled = locks.sampled;
  return result;
}

}  // namespace quire
