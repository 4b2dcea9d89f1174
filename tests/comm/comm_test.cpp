#include "quire/comm/comm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/reported_rank.hpp"

namespace quire::comm_test {
namespace {

std::uint64_t rank_of(const Comm& comm) { return static_cast<std::uint64_t>(comm.rank()); }

TEST(CommTest, SumsModuloTwoToThe64) {
  Comm comm = test::everyone();
  const auto size = static_cast<std::uint64_t>(comm.size());
  std::vector<std::uint64_t> words{rank_of(comm) + 1, ~std::uint64_t{0}};
  comm.sum(words);
  EXPECT_EQ(words[0], size * (size + 1) / 2);
  EXPECT_EQ(words[1], std::uint64_t{0} - size);
}

TEST(CommTest, TakesTheMaximumOfUnsignedWords) {
  Comm comm = test::everyone();
  std::vector<std::uint64_t> words{rank_of(comm), comm.rank() == 0 ? std::uint64_t{1} << 63 : 1};
  comm.maximum(words);
  EXPECT_EQ(words[0], static_cast<std::uint64_t>(comm.size()) - 1);
  EXPECT_EQ(words[1], std::uint64_t{1} << 63);
}

TEST(CommTest, PrefixLeavesOutTheOwnRank) {
  Comm comm = test::everyone();
  const std::uint64_t rank = rank_of(comm);
  std::vector<std::uint64_t> words{10, rank + 1};
  comm.prefix(words);
  EXPECT_EQ(words[0], 10 * rank);
  EXPECT_EQ(words[1], rank * (rank + 1) / 2);
}

TEST(CommTest, PrefixMaximumLeavesOutTheOwnRank) {
  Comm comm = test::everyone();
  const std::uint64_t rank = rank_of(comm);
  // Only every second rank has a large number, which a double cannot represent.
  const std::uint64_t large = (std::uint64_t{1} << 62) + 1;
  std::vector<std::uint64_t> words{rank % 2 == 0 ? rank : 0, large - rank};
  comm.prefix_maximum(words);
  EXPECT_EQ(words[0], rank == 0 ? 0 : (rank - 1) / 2 * 2);
  EXPECT_EQ(words[1], rank == 0 ? 0 : large);
}

TEST(CommTest, ReducesAndBroadcastsFewWordsAsMany) {
  Comm comm = test::everyone();
  const std::uint64_t rank = rank_of(comm);
  const auto size = static_cast<std::uint64_t>(comm.size());
  for (const std::size_t count : {0, 1, 128, 129, 256, 257, 5000}) {
    std::vector<std::uint64_t> words(count);
    const auto refill = [&] { std::iota(words.begin(), words.end(), rank); };
    // Word i of a rank exceeds that of rank 0 by the same amount for every i.
    const auto expect = [&](std::uint64_t first, std::uint64_t step, const char* what) {
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(words[i], first + i * step) << what << " of " << count;
    };
    refill();
    comm.sum(words);
    expect(size * (size - 1) / 2, size, "sum");
    refill();
    comm.maximum(words);
    expect(size - 1, 1, "maximum");
    refill();
    comm.prefix(words);
    expect(rank == 0 ? 0 : rank * (rank - 1) / 2, rank, "prefix");
    refill();
    std::vector<std::uint64_t> lower(count, 99);
    std::vector<std::uint64_t> maxima{rank, ~rank, (std::uint64_t{1} << 63) + rank};
    comm.sum_and_prefix(words, lower, maxima);
    EXPECT_EQ(maxima, (std::vector<std::uint64_t>{size - 1, ~std::uint64_t{0}, (std::uint64_t{1} << 63) + size - 1}));
    expect(size * (size - 1) / 2, size, "sum with prefix");
    words = lower;
    expect(rank == 0 ? 0 : rank * (rank - 1) / 2, rank, "prefix with sum");
    refill();
    comm.prefix_maximum(words);
    expect(rank == 0 ? 0 : rank - 1, rank == 0 ? 0 : 1, "prefix maximum");
    for (int root = 0; root < comm.size(); ++root) {
      refill();
      comm.broadcast(std::as_writable_bytes(std::span(words)), root);
      expect(static_cast<std::uint64_t>(root), 1, "broadcast");
    }
  }
}

// Few and many words, and answers below and above the size of the first message.
TEST(CommTest, ReturnsTheAnswerOfRankZeroWithTheReducedWords) {
  Comm comm = test::everyone();
  const auto size = static_cast<std::uint64_t>(comm.size());
  const auto rank = rank_of(comm);
  for (const std::size_t count : {0, 1, 90, 200}) {
    for (const std::size_t length : {0, 504, 505, 100000}) {
      const std::vector<std::uint64_t> mine(count, rank + 1);
      std::vector<std::uint64_t> words = mine;
      int answers = 0;
      std::uint64_t known = 0;
      const auto answer = [&] {
        ++answers;
        known = count == 0 ? 0 : words.back();
        return std::vector<std::byte>(length, std::byte{42});
      };
      EXPECT_EQ(comm.maximum_and_answer(words, answer), std::vector<std::byte>(length, std::byte{42}));
      EXPECT_EQ(words, std::vector<std::uint64_t>(count, size));
      EXPECT_EQ(answers, comm.is_root() ? 1 : 0);
      EXPECT_EQ(known, comm.is_root() && count > 0 ? size : 0);
      words = mine;
      std::vector<std::uint64_t> lower(count, 99);
      EXPECT_EQ(comm.sum_and_answer(words, lower, {}, answer).size(), length);
      EXPECT_EQ(words, std::vector<std::uint64_t>(count, size * (size + 1) / 2));
      EXPECT_EQ(lower, std::vector<std::uint64_t>(count, rank * (rank + 1) / 2));
    }
  }
}

// A rank whose part is complete may start the next collective at once: many rounds, short and long answers, and the
// release of the communicator while messages may be in transit.
TEST(CommTest, ContinuesBeforeOthersHaveReceived) {
  Comm comm = test::everyone();
  const auto size = static_cast<std::uint64_t>(comm.size());
  const auto rank = rank_of(comm);
  for (std::uint64_t round = 0; round < 200; ++round) {
    const auto bytes = static_cast<std::byte>(round);
    const std::size_t length = round % 7 == 0 ? 5000 : 100;
    std::array<std::uint64_t, 2> words{round, rank};
    std::array<std::uint64_t, 2> lower{};
    const auto answer = [&] { return std::vector<std::byte>(100, bytes); };
    EXPECT_EQ(comm.sum_and_answer(words, lower, {}, answer), std::vector<std::byte>(100, bytes));
    EXPECT_EQ(words, (std::array{round * size, size * (size - 1) / 2}));
    EXPECT_EQ(lower, (std::array{round * rank, rank == 0 ? 0 : rank * (rank - 1) / 2}));
    const auto reply = [&](const std::vector<std::vector<std::byte>>& asked) {
      return std::vector<std::vector<std::byte>>(asked.size(), std::vector<std::byte>(length, bytes));
    };
    EXPECT_EQ(comm.gather_scatter({}, reply), std::vector<std::byte>(length, bytes));
  }
  std::uint64_t last = rank;
  EXPECT_TRUE(comm.maximum_and_answer(std::span(&last, 1), [] { return std::vector<std::byte>(); }).empty());
  comm.let_go();
}

// If the function of rank 0 throws, rank 0 rethrows and the others receive an empty answer instead of waiting.
TEST(CommTest, ReleasesRanksIfTheFunctionOfRankZeroThrows) {
  Comm comm = test::everyone();
  std::vector<std::byte> bytes(1);
  std::uint64_t word = rank_of(comm);
  const RootAnswer silent = []() -> std::vector<std::byte> { throw std::bad_alloc(); };
  const RootReply mute = [](const auto&) -> std::vector<std::vector<std::byte>> { throw std::bad_alloc(); };
  const auto expect_freed = [&](auto&& collective) {
    if (comm.is_root()) {
      EXPECT_THROW(collective(), std::bad_alloc);
    } else {
      collective();
      EXPECT_TRUE(bytes.empty());
    }
  };
  expect_freed([&] { bytes = comm.maximum_and_answer(std::span(&word, 1), silent); });
  // Too many words for one message along the tree.
  bytes.resize(1);
  std::vector<std::uint64_t> many(5000, word);
  std::vector<std::uint64_t> lower(many.size());
  expect_freed([&] { bytes = comm.sum_and_answer(many, lower, {}, silent); });
  bytes.resize(1);
  expect_freed([&] { bytes = comm.gather_scatter(std::vector<std::byte>(5), mute); });
  comm.barrier();  // still usable
}

std::vector<std::byte> letter(int from, int to, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + from * 31 + to * 3);
  return bytes;
}

TEST(CommTest, ExchangesParcelsWithRanksThatDoNotKnow) {
  Comm comm = test::everyone();
  const int size = comm.size();
  // Each rank sends to the ranks above it and to itself; one parcel needs several pieces.
  const auto length_of = [&](int from, int to) -> std::size_t {
    if (to < from) return 0;
    return from == 0 && to == size - 1 ? (std::size_t{16} << 20) + 777 : static_cast<std::size_t>(from + 1) * 10;
  };
  // Consecutive exchanges: parcels of a rank that is ahead must not be received too early.
  for (int round = 0; round < 20; ++round) {
    std::vector<Parcel> parcels;
    for (int to = size - 1; to >= 0; --to) {
      const std::size_t length = round == 0 ? length_of(comm.rank(), to) : length_of(comm.rank(), to) % 1000;
      parcels.push_back({to, letter(comm.rank() + round, to, length)});
    }
    const std::vector<Parcel> received = comm.exchange(std::move(parcels));
    ASSERT_EQ(received.size(), static_cast<std::size_t>(comm.rank() + 1)) << "round " << round;
    for (int from = 0; from <= comm.rank(); ++from) {
      const Parcel& parcel = received[static_cast<std::size_t>(from)];
      const std::size_t length = round == 0 ? length_of(from, comm.rank()) : length_of(from, comm.rank()) % 1000;
      EXPECT_EQ(parcel.rank, from);
      EXPECT_TRUE(parcel.bytes == letter(from + round, comm.rank(), length)) << "round " << round << " from " << from;
    }
  }
}

// Questions and answers of any length, including none: within the first message, and in several.
TEST(CommTest, GathersAndScattersAtRankZero) {
  Comm comm = test::everyone();
  const int size = comm.size();
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, std::size_t{5000}, (std::size_t{16} << 20) + 5}) {
    const auto length_of = [&](int rank) { return rank % 2 == 0 ? length : std::size_t{3}; };
    int replies = 0;
    const auto reply = [&](const std::vector<std::vector<std::byte>>& questions) {
      ++replies;
      EXPECT_EQ(questions.size(), static_cast<std::size_t>(size));
      std::vector<std::vector<std::byte>> answers;
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_TRUE(questions.at(static_cast<std::size_t>(rank)) == letter(rank, 0, length_of(rank))) << rank;
        answers.push_back(letter(0, rank, length_of(rank + 1)));
      }
      return answers;
    };
    const std::uint64_t before = comm.collectives();
    const auto answer = comm.gather_scatter(letter(comm.rank(), 0, length_of(comm.rank())), reply);
    EXPECT_TRUE(answer == letter(0, comm.rank(), length_of(comm.rank() + 1))) << length;
    EXPECT_EQ(replies, comm.is_root() ? 1 : 0);
    EXPECT_EQ(comm.collectives() - before, 1U);
  }
}

TEST(CommTest, RejectsParcelsForMissingRanksAndTwoForOneRank) {
  Comm comm = test::everyone();
  EXPECT_THROW(static_cast<void>(comm.exchange({{comm.size(), letter(0, 0, 1)}})), Error);
  EXPECT_THROW(static_cast<void>(comm.exchange({{0, letter(0, 0, 1)}, {0, letter(0, 0, 1)}})), Error);
  EXPECT_TRUE(comm.exchange({}).empty());
}

TEST(CommTest, BroadcastsFromAnyRankInSeveralPieces) {
  Comm comm = test::everyone();
  // Larger than one piece of the MPI backend, and not a multiple of it.
  std::vector<std::byte> expected((16 << 20) + 12345);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  const int root = comm.size() - 1;
  std::vector<std::byte> bytes;
  if (comm.rank() == root) bytes = expected;
  comm.broadcast(bytes, root);
  EXPECT_TRUE(bytes == expected);
}

TEST(CommTest, BroadcastsNothing) {
  Comm comm = test::everyone();
  std::vector<std::byte> bytes(comm.is_root() ? 0 : 5);
  comm.broadcast(bytes);
  EXPECT_TRUE(bytes.empty());
}

TEST(CommTest, RefusesARootThatDoesNotExist) {
  Comm comm = test::everyone();
  std::vector<std::byte> bytes(1);
  EXPECT_THROW(comm.broadcast(std::span(bytes), comm.size()), Error);
  comm.barrier();  // still usable
}

TEST(CommTest, CountsCollectives) {
  Comm comm = test::everyone();
  std::uint64_t word = 0;
  comm.sum(std::span(&word, 1));
  comm.barrier();
  agree(comm, std::nullopt);
  EXPECT_EQ(comm.collectives(), 3U);
}

TEST(CommTest, AHandleThatLetsGoKnowsWhoItWas) {
  Comm kept = test::everyone();
  Comm comm = kept;
  comm.barrier();
  comm.let_go();
  EXPECT_EQ(comm.rank(), kept.rank());
  EXPECT_EQ(comm.size(), kept.size());
  EXPECT_EQ(comm.collectives(), 1U);
  std::uint64_t word = 0;
  EXPECT_THROW(comm.barrier(), Error);
  EXPECT_THROW(comm.sum(std::span(&word, 1)), Error);
  EXPECT_THROW(static_cast<void>(comm.split_by_node()), Error);
  EXPECT_THROW(static_cast<void>(comm.exchange({})), Error);
  kept.barrier();
}

TEST(CommTest, SplitsByColorInTheOrderOfTheKey) {
  Comm comm = test::everyone();
  const int color = comm.rank() % 2;
  Comm part = comm.split(color, -comm.rank());
  const int members = (comm.size() + 1 - color) / 2;
  EXPECT_EQ(part.size(), members);
  EXPECT_EQ(part.rank(), members - 1 - comm.rank() / 2);
  std::uint64_t sum = rank_of(comm);
  part.sum(std::span(&sum, 1));
  std::uint64_t expected = 0;
  for (int rank = color; rank < comm.size(); rank += 2) expected += static_cast<std::uint64_t>(rank);
  EXPECT_EQ(sum, expected);
}

TEST(CommTest, AllRanksOfOneMachineShareANode) {
  Comm comm = test::everyone();
  const Comm node = comm.split_by_node();
  EXPECT_EQ(node.size(), comm.size());
  EXPECT_EQ(node.rank(), comm.rank());
}

/// The error on which the ranks agree if those of `failing` fail, or no value.
std::optional<Error> agreed(Comm& comm, const std::vector<int>& failing) {
  std::optional<Error> mine;
  for (const int rank : failing) {
    if (rank != comm.rank()) continue;
    // Different on every rank, including the length.
    mine = Error(rank % 2 == 0 ? ErrorKind::io : ErrorKind::type, "broken" + std::string(10 * rank, '!'))
               .in_file("file of " + std::to_string(rank))
               .at(static_cast<std::uint64_t>(rank) << 40);
  }
  try {
    agree(comm, mine);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

TEST(CommTest, AgreesOnTheErrorOfTheLowestFailingRank) {
  Comm comm = test::everyone();
  EXPECT_FALSE(agreed(comm, {}));
  for (int first = 0; first < comm.size(); ++first) {
    std::vector<int> failing(static_cast<std::size_t>(comm.size() - first));
    std::iota(failing.begin(), failing.end(), first);
    const auto error = agreed(comm, failing);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), first % 2 == 0 ? ErrorKind::io : ErrorKind::type);
    EXPECT_EQ(error->message(), "broken" + std::string(10 * first, '!'));
    EXPECT_EQ(error->file(), "file of " + std::to_string(first));
    EXPECT_EQ(error->offset(), static_cast<std::uint64_t>(first) << 40);
    EXPECT_EQ(error->rank(), test::reported_rank(comm, first));
  }
  EXPECT_FALSE(agreed(comm, {}));
}

TEST(CommTest, ProgramsOfSeveralRanksMustStateWhichOfThemWorkTogether) {
  const int ranks = test::everyone().size();
  const auto error = test::error_of([] { static_cast<void>(Comm::only_process()); });
  ASSERT_EQ(error.has_value(), ranks > 1);
  if (!error) return;
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_NE(error->message().find(std::to_string(ranks) + " ranks"), std::string::npos) << error->what();
  EXPECT_NE(error->advice().find("Comm::self()"), std::string::npos) << error->what();
}

TEST(CommTest, ManyCommunicatorsMayLiveAndEndInAnyOrder) {
  Comm comm = test::everyone();
  std::vector<Comm> parts;
  for (int i = 0; i < 20; ++i) parts.push_back(comm.split(0, comm.rank()));
  parts.erase(parts.begin() + comm.rank());  // a different one on each rank
  // More communicators than an MPI can have at a time; fewer if its own waits are slow.
  const int more = comm.size() == 1 ? 2500 : 30;
  for (int i = 0; i < more; ++i) parts.back() = comm.split(0, comm.rank());
  parts.back().barrier();
  EXPECT_EQ(parts.back().size(), comm.size());
}

}  // namespace
}  // namespace quire::comm_test
