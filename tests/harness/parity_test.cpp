// The same bytes from every rank count, spread and transport, and all values read back on any other slice.

#include <gtest/gtest.h>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test::parity_test {
namespace {

constexpr std::uint64_t rows = 23;
constexpr std::int64_t steps = 3;

struct Case {
  const Format* format;
  Spread spread;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Format* format : formats_of_tables()) {
    for (const Spread spread : spreads) all.push_back({format, spread});
  }
  return all;
}

/// The presets and, for an even spread, every kind of file that the format can write: each layout is tested with all
/// rank counts, each spread with all transports, and the collective transports stay affordable on two cores.
std::vector<Options> layouts(const Format& format, Spread spread) {
  if (spread == Spread::even) return format.writing_variants;
  return {{}};
}

WriteOptions write_options(const Format& format, const Options& options) {
  WriteOptions result;
  result.format = format.name;
  result.options = options;
  return result;
}

std::int64_t steps_of(const WriteOptions& options) { return possible_steps(format_named(options.format), steps); }

void write_file(const std::string& path, const Comm& comm, const WriteOptions& options, Sample& sample,
                const std::function<Slice(std::int64_t)>& mine) {
  Writer out = create(path, comm, options);
  out.set("code", Value("parity"));
  for (std::int64_t number = 0; number < steps_of(options); ++number) {
    WriteStep step = out.step(number);
    sample.fill(step, number, mine(number));
    step.commit();
    sample.forget();
  }
  out.close();
}

/// The bytes that one process writes, which every other configuration must write too.
std::string serial_bytes(const std::string& name, const WriteOptions& options, Sample& sample, std::uint64_t total) {
  const std::string file = path(name + ".serial" + std::to_string(everyone().rank()));
  WriteOptions serial = options;
  serial.transport = "posix";
  write_file(file, Comm::self(), serial, sample, [&](std::int64_t) { return Slice{0, total}; });
  return bytes_of(file);
}

class Parity : public testing::TestWithParam<Case> {};

TEST_P(Parity, SameBytesAndValuesBack) {
  const auto& [format, spread] = GetParam();
  Comm comm = everyone();
  const std::uint64_t total = spread == Spread::all_ranks_are_empty ? 0 : rows;
  int layout = 0;
  for (const Options& options : layouts(*format, spread)) {
    const std::string file = "parity_" + std::string(format->name) + name(spread) + std::to_string(layout++);
    Sample sample(*format, total);
    WriteOptions how = write_options(*format, options);
    how.transport = transport();
    write_file(path(file), comm, how, sample, [&](std::int64_t) { return slice(spread, total, comm); });
    EXPECT_EQ(bytes_of(path(file)), serial_bytes(file, how, sample, total)) << file;
    comm.barrier();

    for (const Spread other : {Spread::even, Spread::first_has_nothing, Spread::last_has_everything}) {
      ReadOptions reading;
      reading.transport = transport();
      Reader in = open(path(file), comm, reading);
      ASSERT_EQ(in.size(), static_cast<std::uint64_t>(steps_of(how)));
      for (std::int64_t number = 0; number < steps_of(how); ++number) {
        EXPECT_EQ(sample.difference(in.step(number), slice(other, total, comm)), "") << file << " step " << number;
      }
      in.close();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Parity, testing::ValuesIn(cases()), [](const auto& chosen) {
  return std::string(chosen.param.format->name) + "_" + name(chosen.param.spread);
});

class ParityOfAppend : public testing::TestWithParam<Variant> {};

TEST_P(ParityOfAppend, AppendingGivesTheBytesOfOneRun) {
  const Format& format = *GetParam().format;
  Comm comm = everyone();
  WriteOptions options = GetParam().write_options();
  options.transport = transport();
  Sample sample(format, rows);
  const std::string file = "append_" + GetParam().name();
  const auto mine = [&] { return slice(Spread::even, rows, comm); };
  const auto write = [&](Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    sample.fill(step, number, mine());
    step.commit();
    sample.forget();
  };
  Writer out = create(path(file), comm, options);
  out.set("code", Value("parity"));
  write(out, 0);
  write(out, 7);  // to be dropped
  out.close();
  Writer more = append(path(file), comm, 0, Later::drop, options);
  write(more, 1);
  write(more, 2);
  more.close();

  Reader in = open(path(file), comm);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{0, 1, 2}));
  for (std::int64_t number = 0; number < steps; ++number) {
    EXPECT_EQ(sample.difference(in.step(number), mine()), "") << number;
  }
  in.close();
  EXPECT_THROW(static_cast<void>(append(path(file), comm, 1, Later::refuse, options)), Error);
  Writer again = append(path(file), comm, {}, Later::refuse, options);
  WriteStep twice = again.step(2);
  sample.fill(twice, 2, mine());
  EXPECT_THROW(twice.commit(), Error) << "a step number must not appear twice";
  again.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, ParityOfAppend, testing::ValuesIn(variants_of_steps()),
                         [](const auto& chosen) { return chosen.param.name(); });

class ParityOfPieces : public testing::TestWithParam<Variant> {};

TEST_P(ParityOfPieces, StreamedBlocksGiveTheSameBytes) {
  Comm comm = everyone();
  Sample sample(*GetParam().format, rows);
  WriteOptions how = GetParam().write_options();
  how.transport = transport();
  const std::string file = "pieces_" + GetParam().name();
  const Slice mine = slice(Spread::even, rows, comm);
  Writer out = create(path(file), comm, how);
  out.set("code", Value("parity"));
  for (std::int64_t number = 0; number < steps_of(how); ++number) {
    const StepPart part = sample.part(number, mine);
    WriteStep step = out.step(number);
    for (const Attribute& attribute : part.description.attributes) step.set(attribute);
    step.table().rows(mine.count);
    sample.declare(step, part);
    constexpr std::uint64_t block = 5;
    const auto views_from = [&](std::uint64_t first) {
      std::vector<ConstView> views;
      for (const ConstView& view : part.tables[0])
        views.push_back(view.part(first, std::min(block, mine.count - first)));
      return views;
    };
    sample.put_fields(step, number, mine);
    if (out.weighs_values()) {
      step.agree_on_rows();
      for (std::uint64_t first = 0; first < mine.count; first += block) step.weigh("", views_from(first));
    }
    step.open();
    for (std::uint64_t first = 0; first < mine.count; first += block) step.write("", first, views_from(first));
    step.commit();
    sample.forget();
  }
  out.close();
  EXPECT_EQ(bytes_of(path(file)), serial_bytes(file, how, sample, rows));
}

INSTANTIATE_TEST_SUITE_P(Formats, ParityOfPieces, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::parity_test
