// A file without steps keeps the definitions that are declared before the first step.

#include <gtest/gtest.h>

#include "quire/quire.hpp"
#include "quire/spi/base/archive.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"

namespace quire::test::declared_test {
namespace {

Quantity quantity(const std::string& name, Type type, const std::string& unit) {
  return {.name = name, .type = type, .unit = unit, .symbol = "$gs$r", .description = "the " + name, .display = {}};
}

StepDescription definitions() {
  StepDescription step;
  step.attributes.push_back({quantity("charge", Type::float64, "C"), Value(1.5)});
  step.attributes.push_back({quantity("label", Type::string, ""), Value("none")});
  Table& table = step.tables.emplace_back();
  table.rows = 7;
  table.columns.push_back({quantity("s", Type::float64, "m")});
  table.columns.push_back({quantity("name", Type::string, "")});
  Field field;
  static_cast<Quantity&>(field) = quantity("grid", Type::int32, "V");
  field.extents = {3, 4};
  step.fields.push_back(field);
  return step;
}

WriteOptions options(const std::string& mode) {
  WriteOptions result;
  result.transport = transport();
  result.options["mode"] = mode;
  return result;
}

class Declared : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return path(name + GetParam() + ".sdds"); }
  [[nodiscard]] static StepDescription declared_in(const std::string& name) {
    return open(name, everyone()).description().declared.value();
  }
  void declare(const std::string& name) const {
    Writer out = create(name, everyone(), options(GetParam()));
    out.declare(definitions());
    out.close();
  }
  static void put(WriteStep& step, std::uint64_t rows) {
    const std::vector<double> places(rows, 0.5);
    const std::vector<std::string> names(rows, "Q1");
    const std::vector<std::int32_t> elements(6, 3);
    step.set(definitions().attributes[0]).set(definitions().attributes[1]);
    step.put("s", places, "m").put("name", ConstView(std::span<const std::string>(names)));
    Field grid = definitions().fields[0];
    grid.extents = {2, 3};
    const bool root = everyone().is_root();
    const Box mine{{0, 0}, root ? grid.extents : std::vector<std::uint64_t>{0, 0}};
    const auto share = std::span(elements).first(root ? 6 : 0);
    step.put_field(grid, mine, {share});
    step.commit();
  }
};

TEST_P(Declared, AFileWithoutAStepKeepsItsDefinitions) {
  declare(file("bare"));
  const Reader reader = open(file("bare"), everyone());
  EXPECT_EQ(reader.size(), 0U);
  EXPECT_EQ(pack(reader.description().declared.value()), pack(without_values(definitions())));
  const ReadStep step = reader.declared().value();
  EXPECT_EQ(step.description().tables.at(0).rows, 0U);
  std::vector<double> nothing;
  step.read("", {0, 0}, {{"s", nothing}});
}

TEST_P(Declared, StepsThatAgreeFollow) {
  Writer out = create(file("whole"), everyone(), options(GetParam()));
  out.declare(definitions());
  WriteStep first = out.step(1);
  put(first, 2);
  out.close();
  EXPECT_EQ(pack(declared_in(file("whole"))), pack(without_values(definitions())));
  EXPECT_EQ(open(file("whole"), everyone()).at(0).description().tables.at(0).rows,
            2U * static_cast<std::uint64_t>(everyone().size()));
}

TEST_P(Declared, AStepThatDoesNotAgreeIsRefusedByName) {
  Writer out = create(file("other"), everyone(), options(GetParam()));
  out.declare(definitions());
  const auto error = error_of([&] {
    const std::vector<double> values(2, 0.5);
    WriteStep step = out.step(1);
    step.set(definitions().attributes[0]).set(definitions().attributes[1]);
    step.put("momentum", values);
    step.commit();
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_EQ(error->object(), "momentum");
  out.close();
  EXPECT_EQ(pack(declared_in(file("other"))), pack(without_values(definitions())));
}

TEST_P(Declared, StepsAreAppendedToAFileWithoutOne) {
  declare(file("later"));
  Writer out = append(file("later"), everyone());
  WriteStep step = out.step(3);
  put(step, 1);
  out.close();
  EXPECT_EQ(pack(declared_in(file("later"))), pack(without_values(definitions())));
  EXPECT_EQ(open(file("later"), everyone()).numbers(), std::vector<std::int64_t>{3});
}

TEST_P(Declared, DifferentDeclarationsAreReportedOnAllRanks) {
  if (everyone().size() == 1) return;  // one rank agrees with itself
  Writer out = create(file("discord"), everyone(), options(GetParam()));
  StepDescription mine = definitions();
  if (!everyone().is_root()) mine.tables.front().columns.front().unit = "mm";
  out.declare(mine);
  const auto error = error_of([&] { out.close(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_EQ(error->object(), "s");
}

TEST_P(Declared, IsTooLateAfterTheFirstStep) {
  Writer out = create(file("late"), everyone(), options(GetParam()));
  WriteStep step = out.step(1);
  put(step, 1);
  const auto error = error_of([&] { out.declare(definitions()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Modes, Declared, testing::Values("binary", "ascii"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST(DeclaredElsewhere, IsRefusedByFormatsThatCannotStoreIt) {
  Writer out = create(path("none.h5part"), everyone());
  const auto error = error_of([&] { out.declare(definitions()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::unsupported);
  out.close();
}

}  // namespace
}  // namespace quire::test::declared_test
