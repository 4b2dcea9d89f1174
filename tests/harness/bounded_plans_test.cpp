// Scattered rows and elements are written in plans of bounded size, however many there are: the bytes are those of
// consecutive rows, ranks with more rows than others do not block, and errors agree on all ranks.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "format/element_writer.hpp"
#include "quire/spi/transport/transport.hpp"
#include "support/variant_file.hpp"
#include "transport/faulty.hpp"
#include "transport/forwarding.hpp"

namespace quire::test::bounded_plans_test {
namespace {

constexpr std::uint64_t rows = 30000;

/// The largest plan passed to a transport, and the number of plans.
struct Largest {
  std::uint64_t plans = 0;
  std::uint64_t extents = 0;
  std::uint64_t bytes = 0;  ///< kept in memory by the plan
};

class MeasuringTransport final : public ForwardingTransport {
 public:
  MeasuringTransport(std::unique_ptr<Transport> inner, Largest& largest)
      : ForwardingTransport(std::move(inner)), largest_(largest) {}

  void run(const WritePlan& mine) override {
    ++largest_.plans;
    largest_.extents = std::max<std::uint64_t>(largest_.extents, mine.extents.size());
    std::uint64_t kept = 0;
    for (const auto& bytes : mine.owned) kept += bytes->size();
    largest_.bytes = std::max(largest_.bytes, kept);
    inner().run(mine);
  }

 private:
  Largest& largest_;
};

using List = std::vector<std::uint64_t>;

/// The rows of a rank, in the order in which it writes them.
struct Way {
  std::string name;
  std::function<List(std::uint64_t rank, std::uint64_t size)> choose;
};

List every(std::uint64_t first, std::uint64_t step) {
  List list;
  for (std::uint64_t row = first; row < rows; row += step) list.push_back(row);
  return list;
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {"stride", [](std::uint64_t rank, std::uint64_t size) { return every(rank, size); }},
      {"mixed",
       [](std::uint64_t rank, std::uint64_t size) {
         List list = every(rank, size);
         for (std::uint64_t& row : list) row = row * 7919 % rows;
         return list;
       }},
      // The last rank has every other row; the others share the rest in slices.
      {"uneven", [](std::uint64_t rank, std::uint64_t size) {
         if (rank + 1 == size) return size == 1 ? every(0, 1) : every(1, 2);
         List list;
         const Slice mine =
             slice(Spread::even, rows / 2, static_cast<int>(rank), std::max(1, static_cast<int>(size) - 1));
         for (std::uint64_t i = mine.first; i < mine.end(); ++i) list.push_back(2 * i);
         return list;
       }}};
  return all;
}

class BoundedPlans : public VariantFile {
 protected:
  BoundedPlans() : VariantFile("bounded") {}

  static std::vector<double> values_of(const List& list) {
    std::vector<double> values;
    for (const std::uint64_t row : list) values.push_back(0.25 + static_cast<double>(row));
    return values;
  }
  static std::vector<float> halves_of(const List& list) { return std::vector<float>(list.size(), 0.5F); }
  static std::vector<std::int32_t> numbers_of(const List& list) { return {list.begin(), list.end()}; }

  static std::optional<Error> commit(Writer& out, std::int64_t number, const List& list, bool is_chosen) {
    const std::vector<double> values = values_of(list);
    const std::vector<std::int32_t> numbers = numbers_of(list);
    const std::vector<float> halves = halves_of(list);
    WriteStep step = out.step(number);
    step.table();
    if (is_chosen) step.rows_at(list, rows);
    step.put("x", ConstView(values)).put("k", ConstView(numbers)).put("half", ConstView(halves));
    return error_of([&] { step.commit(); });
  }

  /// Writes consecutive rows.
  void write_usual(Writer& out, std::int64_t number) {
    const Slice mine = slice(Spread::even, rows, comm_);
    List list(mine.count);
    std::iota(list.begin(), list.end(), mine.first);
    const auto error = commit(out, number, list, false);
    EXPECT_FALSE(error) << error->what();
  }

  /// Whether this kind of file accepts rows at chosen positions.
  bool can_choose() {
    Writer out = create(file_ + ".try", comm_, options_);
    const auto error = commit(out, 0, ways().front().choose(rank(), size()), true);
    out.close();
    EXPECT_TRUE(!error || error->kind() == ErrorKind::unsupported) << error->what();
    if (!error) ++choosing_;
    return !error;
  }

  /// Kinds of files without chosen positions are skipped, but at least one kind has them.
  static void TearDownTestSuite() { EXPECT_GT(choosing_, 0); }

  void measure(Largest& largest) {
    options_.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int) {
      return std::make_unique<MeasuringTransport>(std::move(inner), largest);
    };
  }

 private:
  static inline int choosing_ = 0;
};

/// Allowance for titles and attributes.
constexpr std::uint64_t others = 64;
constexpr std::uint64_t bytes_of_others = 64 << 10;

TEST_P(BoundedPlans, HoldScatteredRows) {
  if (!can_choose()) return;
  Writer usual = create(file_ + ".usual", comm_, options_);
  write_usual(usual, 0);
  usual.close();
  for (const Way& way : ways()) {
    const std::string file = file_ + "." + way.name;
    Largest largest;
    measure(largest);
    Writer out = create(file, comm_, options_);
    const List mine = way.choose(rank(), size());
    const auto error = commit(out, 0, mine, true);
    const bool is_collective = is_transport_collective(transport());
    out.close();
    EXPECT_FALSE(error) << error->what();
    EXPECT_LE(largest.extents, PlanRoom().extents + others) << way.name;
    EXPECT_LE(largest.bytes, PlanRoom().bytes + bytes_of_others) << way.name;
    if (largest.plans > 0 && largest.extents > 2000) {
      EXPECT_GE(largest.plans, mine.size() / PlanRoom().extents) << way.name;
    }
    std::array<std::uint64_t, 2> plans{largest.plans, ~largest.plans};
    comm_.maximum(plans);
    if (is_collective) {
      EXPECT_EQ(plans[0], ~plans[1]) << way.name << ": all ranks run the same number of plans";
    }
    EXPECT_EQ(bytes_of(file), bytes_of(file_ + ".usual")) << way.name;
  }
}

TEST_P(BoundedPlans, FailOnAllRanksWhereOneFailsLate) {
  if (!can_choose()) return;
  const int failing = comm_.size() - 1;
  options_.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int mine) {
    return mine == failing ? faulty(std::move(inner), {.after_bytes = 50000}) : std::move(inner);
  };
  Writer out = create(file_, comm_, options_);
  const auto error = commit(out, 0, ways().back().choose(rank(), size()), true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
  if (comm_.size() > 1) {
    EXPECT_EQ(error->rank(), failing) << error->what();
  }
  static_cast<void>(error_of([&] { out.close(); }));
}

TEST_P(BoundedPlans, HoldScatteredElements) {
  // Each box is moved as a whole, by one rank.
  if (GetParam().options.contains("field_chunk")) return;
  Largest largest;
  measure(largest);
  Writer out = create(file_, comm_, options_);
  const std::uint64_t count = rows / size();
  std::vector<double> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = 0.5 + static_cast<double>(i * size() + rank());
  Field field;
  field.name = "phi";
  field.extents = {count, size() + 1, 1};
  WriteStep step = out.step(0);
  step.put_field(field, Hyperslab{{0, rank(), 0}, {}, {count, 1, 1}, {}}, {ConstView(values)});
  const auto error = error_of([&] { step.commit(); });
  out.close();
  if (error) {
    EXPECT_EQ(error->kind(), ErrorKind::unsupported) << error->what();
    return;
  }
  EXPECT_LE(largest.extents, PlanRoom().extents + others);
  EXPECT_LE(largest.bytes, PlanRoom().bytes + bytes_of_others);
  Reader in = open(file_, comm_);
  std::vector<double> found(count);
  in.step(0).read_field_all("phi", Hyperslab{{0, rank(), 0}, {}, {count, 1, 1}, {}}, {View(found)});
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(found[i], 0.5 + static_cast<double>(i * size() + rank())) << i;
  }
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, BoundedPlans, testing::ValuesIn(variants()), name_of);

}  // namespace
}  // namespace quire::test::bounded_plans_test
