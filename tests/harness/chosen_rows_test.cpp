// Rows of a table that each rank chooses: the bytes are those of the same table written in consecutive rows, rows that
// no rank writes are zeros, and invalid choices are refused on all ranks before anything is written.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "support/variant_file.hpp"

namespace quire::test::chosen_rows_test {
namespace {

constexpr std::uint64_t rows = 40;

using List = std::vector<std::uint64_t>;

/// The rows of one rank in the order in which it writes them, and the selection that describes them.
struct Choice {
  List rows;
  RowSelection selection;
};

Choice listed(List list) { return {list, RowSelection(list)}; }

List every(std::uint64_t first, std::uint64_t step, std::uint64_t end) {
  List list;
  for (std::uint64_t row = first; row < end; row += step) list.push_back(row);
  return list;
}

/// One way to distribute all rows over the ranks.
struct Way {
  std::string name;
  std::function<Choice(std::uint64_t rank, std::uint64_t size)> choose;
};

Choice by_stride(std::uint64_t rank, std::uint64_t size) {
  List list = every(rank, size, rows);
  return {list, Hyperslab{{rank}, {size}, {list.size()}, {}}};
}

/// The last rank has the first rows.
Choice by_range_backwards(std::uint64_t rank, std::uint64_t size) {
  const Slice mine = slice(Spread::even, rows, static_cast<int>(size - 1 - rank), static_cast<int>(size));
  return {every(mine.first, 1, mine.end()), mine};
}

/// Pairs of rows, given as interleaved slabs.
Choice by_union(std::uint64_t rank, std::uint64_t size) {
  List list;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row / 2 % size == rank) list.push_back(row);
  }
  const auto slab = [&](std::uint64_t first) {
    std::uint64_t count = 0;
    while (first + 4 * size * count < rows) ++count;
    return Hyperslab{{first}, {4 * size}, {count}, {}};
  };
  std::vector<Hyperslab> parts;
  for (const std::uint64_t first : {2 * rank, 2 * rank + 1, 2 * size + 2 * rank, 2 * size + 2 * rank + 1}) {
    if (first < rows) parts.push_back(slab(first));
  }
  return {list, Selection(parts)};
}

/// A permutation that mixes the rows of all ranks.
Choice by_list(std::uint64_t rank, std::uint64_t size) {
  List list;
  for (std::uint64_t i = rank; i < rows; i += size) list.push_back(i * 23 % rows);
  return listed(list);
}

Choice all_by_last(std::uint64_t rank, std::uint64_t size) {
  return listed(rank + 1 == size ? every(0, 1, rows) : List{});
}

Choice all_by_first(std::uint64_t rank, std::uint64_t /*size*/) {
  if (rank == 0) return {every(0, 1, rows), Slice{0, rows}};
  return {{}, Slice{rows, 0}};
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all{{"stride", by_stride}, {"range", by_range_backwards}, {"union", by_union},
                                    {"list", by_list},     {"last", all_by_last},         {"first", all_by_first}};
  return all;
}

/// The values of rows of a sample, in the order of a list. The memory of a single row belongs to the sample.
class Values {
 public:
  Values(Sample& sample, std::int64_t number, const List& list) {
    for (const Column& column : sample.columns()) {
      const std::size_t size = size_of(column.type);
      std::vector<std::byte>& bytes = bytes_.emplace_back();
      for (const std::uint64_t row : list) {
        const ConstView one = sample.column(column, number, {row, 1});
        bytes.insert(bytes.end(), one.data, one.data + size);
      }
      views_.emplace_back(column.type, bytes.data(), list.size(), static_cast<std::ptrdiff_t>(size));
    }
  }

  void put(WriteStep& step, const Sample& sample) const {
    for (std::size_t c = 0; c < views_.size(); ++c) step.put(sample.columns()[c], views_[c]);
  }

  /// A part of the values, for a step in pieces.
  [[nodiscard]] std::vector<ConstView> block(std::uint64_t first, std::uint64_t count) const {
    std::vector<ConstView> block;
    for (const ConstView& view : views_) block.push_back(view.part(first, count));
    return block;
  }

 private:
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<ConstView> views_;
};

class ChosenRows : public VariantFile {
 protected:
  ChosenRows() : VariantFile("chosen") {}

  [[nodiscard]] Slice even() const { return slice(Spread::even, rows, comm_); }

  /// Commits a step whose attributes and fields are those of the sample, and whose columns come from `choice`.
  void write(Writer& out, std::int64_t number, const Choice& choice, std::optional<std::uint64_t> total = {}) {
    WriteStep step = out.step(number);
    const StepPart usual = sample_.part(number, even());
    for (const Attribute& attribute : usual.description.attributes) step.set(attribute);
    const Values values(sample_, number, choice.rows);
    step.table().rows_at(choice.selection, total);
    values.put(step, sample_);
    sample_.put_fields(step, number, even());
    step.commit();
  }

  void write_usual(Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    sample_.fill(step, number, even());
    step.commit();
  }

  /// Whether this kind of file accepts rows at chosen positions. Otherwise all ranks raise the same error and nothing
  /// is written.
  bool can_choose() {
    Writer out = create(file_ + ".try", comm_, options_);
    const auto error = error_of([&] { write(out, 0, by_stride(rank(), size())); });
    out.close();
    if (!error) return true;
    EXPECT_EQ(error->kind(), ErrorKind::unsupported) << error->what();
    EXPECT_NE(error->advice(), "") << error->what();
    return false;
  }

  Sample sample_{*GetParam().format, rows, false};
};

TEST_P(ChosenRows, TheBytesAreThoseOfConsecutiveRows) {
  if (!can_choose()) return;
  Writer usual = create(file_ + ".usual", comm_, options_);
  for (std::int64_t number = 0; number < (holds_steps() ? 2 : 1); ++number) write_usual(usual, number);
  usual.close();
  for (const Way& way : ways()) {
    const std::string file = file_ + "." + way.name;
    Writer out = create(file, comm_, options_);
    write(out, 0, way.choose(rank(), size()), way.name == "stride" ? std::optional(rows) : std::nullopt);
    if (holds_steps()) write_usual(out, 1);
    out.close();
    EXPECT_EQ(bytes_of(file), bytes_of(file_ + ".usual")) << way.name;
  }
}

TEST_P(ChosenRows, AStepInPiecesHasTheSameBytes) {
  if (!can_choose()) return;
  Writer usual = create(file_ + ".usual", comm_, options_);
  write_usual(usual, 0);
  usual.close();
  for (const Way& way : ways()) {
    const Choice choice = way.choose(rank(), size());
    if (way.name == "list") continue;  // its rows are not ascending
    const std::string file = file_ + "." + way.name;
    Writer out = create(file, comm_, options_);
    WriteStep step = out.step(0);
    for (const Attribute& attribute : sample_.part(0, even()).description.attributes) step.set(attribute);
    const Values values(sample_, 0, choice.rows);
    step.table().rows_at(choice.selection);
    for (const Column& column : sample_.columns()) step.declare(column);
    sample_.put_fields(step, 0, even());
    step.open();
    // Blocks of other lengths than the chunks of the file.
    for (std::uint64_t first = 0, count = 1; first < choice.rows.size(); first += count, count = 3) {
      count = std::min<std::uint64_t>(count, choice.rows.size() - first);
      step.write("", first, values.block(first, count));
    }
    step.commit();
    out.close();
    EXPECT_EQ(bytes_of(file), bytes_of(file_ + ".usual")) << way.name;
  }
}

TEST_P(ChosenRows, GapsAreZerosAlsoAfterAnAbortedStep) {
  if (!can_choose()) return;
  Writer out = create(file_, comm_, options_);
  {
    WriteStep dropped = out.step(0);
    sample_.fill(dropped, 0, even());
    // Its bytes are in the file when it is aborted.
    dropped.open();
    dropped.abort("to leave bytes in the file");
  }
  // Every fifth row, without the last rows of the table.
  List mine;
  for (const std::uint64_t row : by_stride(rank(), size()).rows) {
    if (row % 5 == 1 && row < 30) mine.push_back(row);
  }
  std::ranges::reverse(mine);
  write(out, 0, listed(mine), rank() == 0 ? std::optional(rows) : std::nullopt);
  if (holds_steps()) write_usual(out, 1);
  out.close();

  Reader in = open(file_, comm_);
  const ReadStep step = in.step(0);
  ASSERT_EQ(step.description().tables.front().rows, rows);
  for (const Column& column : sample_.columns()) {
    const std::size_t size = size_of(column.type);
    const std::size_t significant = column.type == Type::float80 ? 10 : size;
    std::vector<std::byte> found(rows * size, std::byte{0x55});
    const View all(column.type, found.data(), rows, static_cast<std::ptrdiff_t>(size));
    step.read(step.description().tables.front().name, Slice{0, rows}, {{column.name, all}});
    for (std::uint64_t row = 0; row < rows; ++row) {
      const bool is_chosen = row % 5 == 1 && row < 30;
      const std::vector<std::byte> zeros(size);
      const std::byte* wanted = is_chosen ? sample_.column(column, 0, {row, 1}).data : zeros.data();
      EXPECT_EQ(std::memcmp(found.data() + row * size, wanted, significant), 0) << column.name << " row " << row;
    }
  }
  if (holds_steps()) {
    EXPECT_EQ(sample_.difference(in.step(1), even()), "");
  }
  in.close();
}

TEST_P(ChosenRows, NoRankHasRows) {
  if (!can_choose()) return;
  Writer out = create(file_, comm_, options_);
  write(out, 0, listed({}));
  if (holds_steps()) write(out, 1, listed({}), 7);
  out.close();
  Reader in = open(file_, comm_);
  EXPECT_EQ(in.step(0).description().tables.front().rows, 0U);
  if (holds_steps()) {
    EXPECT_EQ(in.step(1).description().tables.front().rows, 7U);
  }
  in.close();
}

/// The error of all ranks for an invalid step. The file is unchanged.
class RefusedRows : public ChosenRows {
 protected:
  /// One transport is enough: a refused step never reaches a transport.
  RefusedRows() { options_.transport = WriteOptions().transport; }

  Error refused(const std::function<void(WriteStep&)>& fill) {
    Writer out = create(file_, comm_, options_);
    const auto error = error_of([&] {
      WriteStep step = out.step(0);
      fill(step);
      step.commit();
    });
    write_usual(out, 0);
    out.close();
    Reader in = open(file_, comm_);
    EXPECT_EQ(in.size(), 1U);
    EXPECT_EQ(sample_.difference(in.step(0), even()), "");
    in.close();
    if (error) return *error;
    ADD_FAILURE() << "no error";
    return {ErrorKind::internal, "none"};
  }

  Error refused(const List& list, std::optional<std::uint64_t> total = {}) {
    const Values values(sample_, 0, list);
    return refused([&](WriteStep& step) {
      step.table().rows_at(list, total);
      values.put(step, sample_);
    });
  }
};

TEST_P(RefusedRows, ARowTwiceOnOneRank) {
  if (!can_choose()) return;
  const Error error = refused(rank() == 0 ? List{5, 1, 5} : List{});
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("row 5"), std::string::npos) << error.what();
}

TEST_P(RefusedRows, SlabsThatShareARow) {
  if (!can_choose()) return;
  const List list{0, 2, 4, 4, 5};
  const Values values(sample_, 0, list);
  const Error error = refused([&](WriteStep& step) {
    step.table().rows_at(Selection({Hyperslab{{0}, {2}, {3}, {}}, Hyperslab{{4}, {}, {2}, {}}}));
    values.put(step, sample_);
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
}

TEST_P(RefusedRows, ARowAfterItsOwnTotal) {
  if (!can_choose()) return;
  const Error error = refused(rank() + 1 == size() ? List{10} : List{}, 10);
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("row 10"), std::string::npos) << error.what();
}

TEST_P(RefusedRows, ARowAfterTheTotalOfAnotherRank) {
  if (!can_choose() || size() == 1) return;
  const Error error =
      refused(rank() + 1 == size() ? List{10} : List{}, rank() == 0 ? std::optional<std::uint64_t>(10) : std::nullopt);
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("row 10"), std::string::npos) << error.what();
  EXPECT_EQ(error.rank(), comm_.size() - 1) << error.what();
}

TEST_P(RefusedRows, DifferentTotals) {
  if (!can_choose() || size() == 1) return;
  const Error error = refused({}, rank() == 0 ? 10 : 11);
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
}

TEST_P(RefusedRows, MoreRowsThanTheTableHas) {
  if (!can_choose() || size() == 1) return;
  const Error error = refused({0, 1, 2}, 4);
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("4 rows"), std::string::npos) << error.what();
}

TEST_P(RefusedRows, OnlySomeRanksChoose) {
  if (!can_choose() || size() == 1) return;
  const Values values(sample_, 0, {rank()});
  const Error error = refused([&](WriteStep& step) {
    step.table();
    if (rank() == 0) step.rows_at(List{rank()});
    values.put(step, sample_);
  });
  EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
  EXPECT_NE(error.message().find("chosen"), std::string::npos) << error.what();
}

TEST_P(RefusedRows, ChoosingAfterPut) {
  const Values values(sample_, 0, {rank()});
  const Error error = refused([&](WriteStep& step) {
    values.put(step, sample_);
    step.rows_at(List{rank()});
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
}

TEST_P(RefusedRows, AWrongNumberOfValues) {
  const Values values(sample_, 0, {rank()});
  const Error error = refused([&](WriteStep& step) {
    step.table().rows_at(Slice{0, 2});
    values.put(step, sample_);
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
}

TEST_P(RefusedRows, AStepInPiecesWithDescendingRows) {
  if (!can_choose()) return;
  const Error error = refused([&](WriteStep& step) {
    step.table().rows_at(rank() == 0 ? List{3, 1} : List{});
    for (const Column& column : sample_.columns()) step.declare(column);
    step.open();
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("rise"), std::string::npos) << error.what();
}

TEST_P(RefusedRows, AStepInPiecesWithoutABlock) {
  if (!can_choose()) return;
  const Values values(sample_, 0, {rank()});
  const Error error = refused([&](WriteStep& step) {
    step.table().rows_at(Hyperslab{{rank()}, {size()}, {2}, {}});
    for (const Column& column : sample_.columns()) step.declare(column);
    step.open();
    step.write("", 0, values.block(0, 1));
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("1 of the 2"), std::string::npos) << error.what();
}

INSTANTIATE_TEST_SUITE_P(Formats, ChosenRows, testing::ValuesIn(variants()), name_of);
INSTANTIATE_TEST_SUITE_P(Formats, RefusedRows, testing::ValuesIn(variants()), name_of);

/// Fails if no preset of any format accepts chosen rows: then the tests above would test nothing.
TEST(ChoosingRows, CostsThreeCollectivesWhereItIsPossible) {
  std::size_t possible = 0;
  for (const Format* format : formats_of_tables()) {
    Comm comm = everyone();
    const auto rank = static_cast<std::uint64_t>(comm.rank());
    const auto size = static_cast<std::uint64_t>(comm.size());
    Sample sample(*format, rows, false);
    const WriteOptions options = Variant{.format = format, .options = {}}.new_file_options();
    Writer out = create(path("cost_" + options.format), comm, options);
    for (std::int64_t number = 0; number < possible_steps(*format, 3); ++number) {
      const Choice choice = by_list(rank, size);
      const Values values(sample, number, choice.rows);
      WriteStep step = out.step(number);
      step.table().rows_at(choice.selection);
      values.put(step, sample);
      const std::uint64_t before = out.comm().collectives();
      const auto error = error_of([&] { step.commit(); });
      if (error) {
        EXPECT_EQ(error->kind(), ErrorKind::unsupported) << error->what();
        break;
      }
      ++possible;
      EXPECT_LE(out.comm().collectives() - before, 3U) << options.format << " step " << number;
    }
    out.close();
  }
  EXPECT_GE(possible, 7U);
}

}  // namespace
}  // namespace quire::test::chosen_rows_test
