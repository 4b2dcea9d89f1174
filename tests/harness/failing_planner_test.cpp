// Each function of a planner that may throw fails on each rank in turn, at every call: every rank raises the error of
// that rank, no rank waits for ever, and the file still accepts a step.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/registration.hpp"
#include "quire/quire.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"

namespace quire::test::failing_planner_test {
namespace {

/// Counts the calls that may fail, and fails at one of them.
class Trap {
 public:
  void set(std::size_t call) {
    calls_ = 0;
    call_ = call;
  }
  void remove() { call_.reset(); }
  /// Whether the call was reached since set().
  [[nodiscard]] bool was_sprung() const { return call_ && calls_ > *call_; }
  void pass(const char* function) {
    if (call_ && calls_++ == *call_) throw Error(ErrorKind::memory, std::string(function) + " fails");
  }

 private:
  std::size_t calls_ = 0;
  std::optional<std::size_t> call_;
};

/// Of the planners of this process. A format makes them without arguments of the test.
Trap& trap() {
  static Trap one;
  return one;
}

class FailingWeigher final : public ValueWeigher {
 public:
  const ValueWeigher* inner = nullptr;
  void weigh(StepPart& part, bool lossy) const override {
    trap().pass("weigh");
    inner->weigh(part, lossy);
  }
};

class FailingGroups final : public RowGroupCodec {
 public:
  const RowGroupCodec* inner = nullptr;
  [[nodiscard]] Grouping grouping(const StepDescription& step, std::size_t table) const override {
    return inner->grouping(step, table);
  }
  [[nodiscard]] PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                       std::span<const std::byte> values) const override {
    trap().pass("pack_group");
    return inner->pack_group(step, table, column, values);
  }
  [[nodiscard]] Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const override {
    trap().pass("open_group");
    return inner->open_group(step, table, column);
  }
  [[nodiscard]] std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                    std::span<const std::byte> bytes) const override {
    trap().pass("unpack_group");
    return inner->unpack_group(step, table, column, bytes);
  }
};

class FailingChunks final : public FieldChunkCodec {
 public:
  const FieldChunkCodec* inner = nullptr;
  [[nodiscard]] std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const override {
    return inner->chunk_shape(step, field);
  }
  [[nodiscard]] PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                       std::span<const std::byte> values) const override {
    trap().pass("pack_chunk");
    return inner->pack_chunk(step, field, values);
  }
  [[nodiscard]] std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const override {
    return inner->held_extents(step, field);
  }
  [[nodiscard]] Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                 std::uint64_t index) const override {
    trap().pass("held_chunk");
    return inner->held_chunk(step, field, component, index);
  }
  [[nodiscard]] std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                    std::span<const std::byte> bytes) const override {
    trap().pass("unpack_chunk");
    return inner->unpack_chunk(step, field, chunk, bytes);
  }
};

class FailingPlanner final : public WritePlanner {
 public:
  explicit FailingPlanner(std::unique_ptr<WritePlanner> inner) : inner_(std::move(inner)) {}

  void introduce(const DescribeContext& context) override { inner_->introduce(context); }
  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override {
    return inner_->resume(std::move(existing), after, drop);
  }
  [[nodiscard]] std::vector<std::byte> state() const override { return inner_->state(); }
  void adopt(std::span<const std::byte> state) override { inner_->adopt(state); }
  void set_file(const FileDescription& file) override {
    trap().pass("set_file");
    inner_->set_file(file);
  }
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override {
    trap().pass("accept");
    return inner_->accept(step, lossy);
  }
  [[nodiscard]] WritePlan guard(const StepPart& mine) override {
    trap().pass("guard");
    return inner_->guard(mine);
  }
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override {
    trap().pass("measure");
    return inner_->measure(mine, root);
  }
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override {
    trap().pass("place");
    return inner_->place(mine, before, total, root);
  }
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override {
    trap().pass("publish");
    return inner_->publish(mine, total);
  }
  void advance(const StepPart& mine, const Measure& total, bool published) override {
    inner_->advance(mine, total, published);
  }
  [[nodiscard]] std::uint64_t published_size() const override { return inner_->published_size(); }
  [[nodiscard]] std::uint64_t data_begin() const override { return inner_->data_begin(); }
  [[nodiscard]] Publication finish() override {
    trap().pass("finish");
    return inner_->finish();
  }
  [[nodiscard]] PlannerCapabilities capabilities() override {
    PlannerCapabilities can = inner_->capabilities();
    fail(can.weigher, weigher_);
    fail(can.row_groups, groups_);
    fail(can.field_chunks, chunks_);
    return can;
  }

 private:
  template <class Capability, class Failing>
  static void fail(const Capability*& capability, Failing& failing) {
    if (capability == nullptr) return;
    failing.inner = capability;
    capability = &failing;
  }

  std::unique_ptr<WritePlanner> inner_;
  FailingWeigher weigher_;
  FailingGroups groups_;
  FailingChunks chunks_;
};

/// The format whose planners fail, and what it is a copy of.
struct FailingFormat {
  const Format* inner = nullptr;
  Format format;
};

FailingFormat& failing_format() {
  static FailingFormat one;
  return one;
}

const Format& failing(const Format& inner) {
  FailingFormat& made = failing_format();
  made.inner = &inner;
  made.format = inner;
  made.format.name = "failing";
  made.format.plan_writing = [](const CheckedOptions& options) -> std::unique_ptr<WritePlanner> {
    return std::make_unique<FailingPlanner>(failing_format().inner->plan_writing(options));
  };
  register_format(made.format);
  return made.format;
}

constexpr std::uint64_t rows = 24;

class FailingPlanners : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    comm_.set_deadline(std::chrono::seconds(60));
    options_ = GetParam().new_file_options();
    options_.format = failing(*GetParam().format).name;
    options_.deadline = std::chrono::seconds(60);
  }
  void TearDown() override { trap().remove(); }

  [[nodiscard]] bool is_only() const { return GetParam().format->holds_one_step; }
  [[nodiscard]] Slice mine() const { return slice(Spread::even, rows, comm_); }

  void commit(Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    sample_.fill(step, number, mine());
    step.commit();
  }

  void commit_in_blocks(Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    const StepPart part = sample_.part(number, mine());
    for (const Attribute& attribute : part.description.attributes) step.set(attribute);
    step.table().rows(mine().count);
    sample_.declare(step, part);
    std::vector<ConstView> views;
    for (const Column& column : sample_.columns()) views.push_back(sample_.column(column, number, mine()));
    sample_.put_fields(step, number, mine());
    step.agree_on_rows();
    step.weigh("", views);
    step.open();
    step.write("", 0, views);
    step.commit();
  }

  /// Whether the trap was sprung on any rank. Then all ranks have the same error.
  bool is_agreed(const std::optional<Error>& error, int failing_rank) {
    std::array<std::uint64_t, 2> words{trap().was_sprung() ? 1U : 0U, error ? 1U : 0U};
    comm_.sum(words);
    EXPECT_EQ(words[1], words[0] == 0 ? 0 : static_cast<std::uint64_t>(comm_.size()));
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::memory) << error->what();
      if (comm_.size() > 1) {
        EXPECT_EQ(error->rank(), failing_rank) << error->what();
      }
    }
    return words[0] != 0;
  }

  /// Calls `check(rank, call)` for all calls on all ranks, until it returns false: the rank makes no further call.
  void for_each_call(const std::function<bool(int rank, std::size_t call)>& check) {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      std::size_t call = 0;
      // Of many calls, which encode one group after another, every fourth.
      for (bool was_reached = true; was_reached && !HasFailure(); call += call < 16 ? 1 : 4) {
        SCOPED_TRACE("call " + std::to_string(call) + " on rank " + std::to_string(rank));
        sample_.forget();
        was_reached = check(rank, call);
      }
      // Rank 0 also publishes, and each rank places its part.
      if (!HasFailure()) {
        EXPECT_GE(call, rank == 0 ? 4U : 3U);
      }
    }
  }
  void set_trap(int rank, std::size_t call) {
    if (comm_.rank() == rank) trap().set(call);
  }

  /// The second step fails, or the only one; the file accepts another step, and then has exactly the others.
  void fail_in(const std::function<void(Writer&, std::int64_t)>& write) {
    for_each_call([&](int rank, std::size_t call) {
      Writer out = create(file_, comm_, options_);
      if (!is_only()) write(out, 0);
      set_trap(rank, call);
      const bool was_reached = is_agreed(error_of([&] { write(out, 1); }), rank);
      trap().remove();
      if (is_only()) {
        static_cast<void>(error_of([&] { out.close(); }));
        comm_.barrier();
        return was_reached;
      }
      write(out, 2);
      out.close();
      Reader in = open(file_, comm_);
      EXPECT_EQ(in.numbers(), was_reached ? std::vector<std::int64_t>({0, 2}) : std::vector<std::int64_t>({0, 1, 2}));
      for (const std::int64_t number : in.numbers()) EXPECT_EQ(sample_.difference(in.step(number), mine()), "");
      in.close();
      return was_reached;
    });
  }

  Comm comm_ = everyone();
  Sample sample_{*GetParam().format, rows};
  WriteOptions options_;
  std::string file_ = path("failing_" + GetParam().name());
};

TEST_P(FailingPlanners, InACommit) {
  fail_in([this](Writer& out, std::int64_t number) { commit(out, number); });
}

TEST_P(FailingPlanners, InAStepThatIsWrittenInBlocks) {
  fail_in([this](Writer& out, std::int64_t number) { commit_in_blocks(out, number); });
}

TEST_P(FailingPlanners, InWriteFile) {
  for_each_call([&](int rank, std::size_t call) {
    set_trap(rank, call);
    const auto error = error_of([&] {
      static_cast<void>(write_file(
          file_, comm_, 0, [&](Writer&, WriteStep& step) { sample_.fill(step, 0, mine()); }, options_));
    });
    const bool was_reached = is_agreed(error, rank);
    trap().remove();
    if (was_reached) return true;
    Reader in = open(file_, comm_);
    EXPECT_EQ(sample_.difference(in.at(0), mine()), "");
    in.close();
    return false;
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, FailingPlanners, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::failing_planner_test
