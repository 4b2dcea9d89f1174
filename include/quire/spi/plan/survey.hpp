#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quire/spi/plan/plan.hpp"

namespace quire {

/// Extents of one length at equal distances, in file order: an array part is often thousands of them.
struct ExtentTrain {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t step = 0;  ///< from one to the next, at least `length`
  std::uint64_t count = 1;
  bool staged = false;  ///< its bytes are encoded in a buffer
  [[nodiscard]] bool operator==(const ExtentTrain&) const = default;
};

/// Independent. The extents one by one.
[[nodiscard]] std::vector<Extent> extents_of(std::span<const ExtentTrain> trains);

/// The storage for which extents are counted, and how requests are cut.
struct StorageLayout {
  std::uint64_t stripe_bytes = std::uint64_t{1} << 20;
  std::uint64_t stripes = 1;     ///< number of targets of a file
  std::uint64_t targets = 1;     ///< of the storage; the files of a set are distributed in turn
  std::uint64_t lock_bytes = 0;  ///< lock unit of the file system; 0: a stripe
  // Requests as transports cut them (TransportLimits): ready bytes from `join_below` on directly from memory, others
  // through a buffer, which joins neighbours in the file.
  std::uint64_t request_bytes = std::uint64_t{4} << 20;
  std::uint64_t staging_bytes = std::uint64_t{1} << 20;
  std::uint64_t join_below = std::uint64_t{256} << 10;
  std::uint64_t ranks_per_node = 0;  ///< one rank writes for so many; 0: each for itself
  std::uint64_t aggregators = 0;     ///< ranks that write, each an equal part of the file; 0: all ranks
  /// Lock units that are counted separately; beyond that a sample is kept, and the counts are estimates.
  std::size_t lock_entries = std::size_t{1} << 21;
};

/// The distribution of a quantity over ranks, targets or aggregators.
struct Spread {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t most_at = 0;  ///< the first one that has the most
  std::uint64_t sum = 0;
  std::uint64_t count = 0;  ///< number of values, counted once for each step

  void add(std::uint64_t value, std::uint64_t who) noexcept;
};

/// Requests of more than half of `limit` bytes, up to all of it.
struct SizeClass {
  std::uint64_t limit = 0;
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
};

/// The work of one target or aggregator.
struct Load {
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
};

/// The result of a survey.
struct SurveyResult {
  std::uint64_t writers = 0;  ///< ranks that write anything
  std::uint64_t extents = 0;
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  Spread bytes_of_rank;
  Spread requests_of_rank;
  std::vector<SizeClass> sizes;    ///< by rising limits, none empty
  std::vector<Load> targets;       ///< of storage
  std::uint64_t crossings = 0;     ///< stripe boundaries inside extents
  std::uint64_t crossing = 0;      ///< extents with such a boundary
  std::uint64_t shared_units = 0;  ///< lock units that two or more ranks touch
  std::uint64_t conflicts = 0;     ///< minimum number of times that a lock moves from one rank to another
  std::uint64_t most_sharers = 0;  ///< ranks that touch one lock unit, at most
  double sampled = 1;              ///< the share of lock units that was counted
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;   ///< of all of them, holes included
  std::uint64_t opens = 0;        ///< by all ranks: each opens the files that it writes to
  std::vector<Load> aggregators;  ///< by equal parts of the file, or else by nodes; empty if every rank writes
  std::uint64_t messages = 0;     ///< from ranks to other ranks that are aggregators
  std::uint64_t message_bytes = 0;
};

/// Counts what the ranks of a program write, one rank after another. Its memory does not depend on the number of
/// extents, and grows by one bit for each rank.
class WriteSurvey {
 public:
  /// Throws usage errors for layouts without stripes or with more of them than targets.
  WriteSurvey(const StorageLayout& layout, int ranks);
  ~WriteSurvey();
  WriteSurvey(const WriteSurvey&) = delete;
  WriteSurvey& operator=(const WriteSurvey&) = delete;

  /// Independent. Begins a step whose data are in [from, end) of the first file.
  void begin(std::uint64_t from, std::uint64_t end);
  /// Independent. Adds the data of a rank in this step, in file order; ranks in rising order.
  void add(int rank, std::span<const ExtentTrain> trains);
  /// Independent. Adds what rank 0 alone writes while the others do not: guards and publications. They cause no
  /// conflicts. An extent without length is the new size of a file.
  void add_alone(std::span<const Extent> extents);

  [[nodiscard]] SurveyResult result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire
