// Files of many blocks, whose list of offsets no rank receives as a whole. No test here names a format.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "quire/quire.hpp"
#include "support/counted_comm.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test::elements_lists_test {
namespace {

constexpr std::uint32_t blocks = 240;
constexpr std::uint64_t no_limit = ~std::uint64_t{0};

/// Blocks of one kind with one element each; mixed blocks have ascending and descending orders.
struct Many {
  std::vector<std::uint32_t> ids;
  std::vector<std::array<std::uint32_t, 2>> modes;
  std::vector<std::vector<double>> values;
  std::vector<ElementPart> parts;

  explicit Many(bool mixed) : ids(blocks), modes(blocks), values(blocks) {
    for (std::uint32_t i = 0; i < blocks; ++i) {
      ids[i] = i * 7 % blocks;
      modes[i] = {2, mixed ? 2 + i % 3 : 2};
      values[i].resize(std::size_t{modes[i][0]} * modes[i][1]);
      std::iota(values[i].begin(), values[i].end(), 100.0 * ids[i]);
      ElementPart& part = parts.emplace_back();
      part.expansion.shape = "Quadrilateral";
      part.expansion.basis = {"Modified_A", "Modified_A"};
      part.ids = ConstView(std::span<const std::uint32_t>(&ids[i], 1));
      if (mixed) {
        for (std::size_t d = 0; d < 2; ++d) {
          part.modes.push_back(ConstView(std::span<const std::uint32_t>(&modes[i][d], 1)));
        }
      } else {
        part.expansion.modes = {2, 2};
      }
      part.variables = {"u"};
      part.values = {ConstView(std::span<const double>(values[i]))};
    }
  }
};

std::vector<Variant> variants_of_elements() {
  std::vector<const Format*> chosen;
  std::ranges::copy_if(formats(), std::back_inserter(chosen), &Format::holds_elements);
  return variants_of(chosen);
}

class ElementLists : public testing::TestWithParam<Variant> {
 protected:
  /// One rank writes all blocks.
  static std::string written(bool mixed) {
    const std::string file = path(std::string(mixed ? "mixed_" : "uniform_") + GetParam().name());
    if (everyone().is_root()) {
      const Many many(mixed);
      Writer out = create(file, Comm::self(), GetParam().write_options());
      WriteStep step = out.step(0);
      put_elements(step, many.parts);
      step.commit();
      out.close();
    }
    everyone().barrier();
    return file;
  }
};

ReadOptions with_budget(std::uint64_t budget) {
  ReadOptions options;
  options.list_budget = budget;
  return options;
}

/// All values that a rank has read, one after another.
std::vector<double> flattened(const Elements& elements) {
  std::vector<double> all;
  for (const ElementBlock& block : elements.blocks) {
    all.insert(all.end(), block.ids.begin(), block.ids.end());
    all.insert(all.end(), block.modes.begin(), block.modes.end());
    all.insert(all.end(), block.offsets.begin(), block.offsets.end());
    for (const auto& values : block.values) all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<ElementRequest> requests(const Comm& comm) {
  std::vector<ElementRequest> all(4);
  all[0].ids.emplace();
  for (std::uint32_t i = 0; i < blocks; ++i) {
    if (i / 5 % static_cast<std::uint32_t>(comm.size()) == static_cast<std::uint32_t>(comm.rank())) {
      all[0].ids->push_back(i);
    }
  }
  all[0].ids->push_back(blocks + 3);
  for (int rank = 0; rank < comm.size(); ++rank) all[2].weights.push_back(rank == 1 ? 0 : 1 + rank);
  all[3].partition = ElementPartition::everything;
  return all;
}

TEST_P(ElementLists, AreTheSameWhetherSentWholeOrShared) {
  Comm comm = everyone();
  comm.set_deadline(std::chrono::seconds(40));
  for (const bool mixed : {false, true}) {
    const std::string file = written(mixed);
    Reader whole = open(file, comm, with_budget(no_limit));
    Reader shared = open(file, comm, with_budget(0));
    const ReadStep one = whole.at(0);
    const ReadStep other = shared.at(0);
    std::uint64_t got = 0;
    for (const ElementRequest& request : requests(comm)) {
      const Elements expected = one.read_elements_all(request);
      const Elements elements = other.read_elements_all(request);
      EXPECT_EQ(flattened(elements), flattened(expected));
      EXPECT_EQ(elements.missing, expected.missing);
      ASSERT_LE(elements.blocks.size(), 1U) << "all elements are of one kind";
      for (const ElementBlock& block : elements.blocks) {
        got += block.ids.size();
        for (std::size_t i = 0; i < block.ids.size(); ++i) {
          EXPECT_EQ(block.values[0][block.offsets[i]], 100.0 * block.ids[i]);
        }
      }
    }
    std::array<std::uint64_t, 1> all{got};
    comm.sum(all);
    EXPECT_EQ(all[0], blocks * (3 + static_cast<std::uint64_t>(comm.size())));
    // A rank that reads rows finds them without the other ranks.
    const std::string table = other.description().tables.front().name;
    std::vector<double> rows(11);
    std::vector<double> known(11);
    const Slice slice{static_cast<std::uint64_t>(20 * comm.rank() + 1), rows.size()};
    one.read(table, slice, {{"u", View(known)}});
    if (comm.rank() % 2 == 0) {
      other.read(table, slice, {{"u", View(rows)}});
      EXPECT_EQ(rows, known);
      EXPECT_EQ(other.plan(table, slice, {"u"}).size(), one.plan(table, slice, {"u"}).size());
    }
    const Elements again = other.read_elements_all(requests(comm)[0]);
    EXPECT_EQ(flattened(again), flattened(one.read_elements_all(requests(comm)[0])));
    whole.close();
    shared.close();
  }
}

/// The bytes that a rank receives for a step with many blocks, and the number of collectives.
struct Received {
  std::uint64_t bytes = 0;
  std::uint64_t collectives = 0;
};

Received received_for(const std::string& file, std::uint64_t budget, const ElementRequest& request) {
  const auto counted = std::make_shared<CountedBackend>(everyone());
  Reader in = open(file, Comm(counted), with_budget(budget));
  const std::uint64_t before = counted->received();
  const ReadStep step = in.at(0);
  const std::uint64_t collectives = in.comm().collectives();
  static_cast<void>(step.read_elements_all(request));
  const Received all{counted->received() - before, in.comm().collectives() - collectives};
  in.close();
  return all;
}

TEST_P(ElementLists, ARankReceivesItsShareAndItsRequestsOnly) {
  const Comm comm = everyone();
  const std::string file = written(false);
  ElementRequest few;
  few.ids = std::vector<std::uint32_t>{static_cast<std::uint32_t>(comm.rank()), 100};
  const Received whole = received_for(file, no_limit, few);
  const Received shared = received_for(file, 0, few);
  if (comm.size() == 1) {
    EXPECT_EQ(shared.bytes, whole.bytes);
    return;
  }
  const std::uint64_t share = blocks / static_cast<std::uint64_t>(comm.size()) + 1;
  constexpr std::uint64_t piece = 16;
  constexpr std::uint64_t entry = 8 * 8;
  constexpr std::uint64_t description = 2000;  // and a few elements, for any number of blocks
  // Two lists of pieces, each with its end; entries of this rank's ids, for elements in the shares of other ranks.
  EXPECT_LE(shared.bytes, share * (2 * (piece + 8) + entry) + description);
  if (!comm.is_root()) {
    EXPECT_GE(whole.bytes, blocks * 2 * piece) << "the whole list";
    if (comm.size() > 3) {
      EXPECT_LT(shared.bytes, whole.bytes);
    }
  }
  EXPECT_LE(shared.collectives, 7U)
      << "the call, lists, ids, replies; twice to distribute what only some ranks can read; agreement";
  EXPECT_LE(shared.collectives, whole.collectives + 1);
}

const auto name_of = [](const auto& chosen) { return chosen.param.name(); };
INSTANTIATE_TEST_SUITE_P(Formats, ElementLists, testing::ValuesIn(variants_of_elements()), name_of);

}  // namespace
}  // namespace quire::test::elements_lists_test
