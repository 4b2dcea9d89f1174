// Columns have short names that determine their record and component.
#include "format/openpmd/names.hpp"

#include <gtest/gtest.h>

#include "format/openpmd/series.hpp"

namespace quire::hdf5::names_test {
namespace {

RecordPath path(const std::string& name, const std::string& unit = "") { return path_of_column(name, unit); }

TEST(ColumnNames, AreThoseOfBeamPhysics) {
  EXPECT_EQ(path("x"), (RecordPath{"position", "x"}));
  EXPECT_EQ(path("x", "mm"), (RecordPath{"position", "x"}));
  EXPECT_EQ(path("px", "m$be$nc"), (RecordPath{"momentum", "x"}));
  EXPECT_EQ(path("E_x"), (RecordPath{"E", "x"}));
  EXPECT_EQ(path("s/lost"), (RecordPath{"s", "lost"}));
  EXPECT_EQ(path("weighting"), (RecordPath{"weighting", ""}));
  EXPECT_EQ(path("xp"), (RecordPath{"xp", ""}));
  EXPECT_EQ(path("p"), (RecordPath{"p", ""}));
  EXPECT_EQ(path("_x"), (RecordPath{"_x", ""}));
}

TEST(ColumnNames, ArePositionsOnlyWithTheUnitOfALength) {
  EXPECT_EQ(path("t", "m"), (RecordPath{"position", "t"}));
  EXPECT_EQ(path("t", "s"), (RecordPath{"t", ""}));
  EXPECT_EQ(path("t"), (RecordPath{"t", ""}));
  EXPECT_EQ(path("x", "s"), (RecordPath{"x", ""}));
}

TEST(ColumnNames, AreRestored) {
  const std::vector<RecordPath> paths{{"position", "x"},  {"position", "t"}, {"position", "lost"}, {"momentum", "t"},
                                      {"momentum", "r"},  {"spin", "z"},     {"s", "lost"},        {"id", ""},
                                      {"position_x", ""}, {"E", "theta"}};
  for (const RecordPath& one : paths) {
    for (const std::string unit : {"", "m", "s"}) {
      const std::string name = column_name(one, unit);
      EXPECT_EQ(path_of_column(name, unit), one) << name << " " << unit;
    }
  }
}

TEST(ColumnNames, AreScalarRecordsIfTheirRecordIsAScalarToo) {
  Table table;
  for (const char* name : {"E", "E_x", "B_x", "x"}) {
    Column column;
    column.name = name;
    table.columns.push_back(column);
  }
  const std::vector<RecordPath> expected{{"E", ""}, {"E_x", ""}, {"B", "x"}, {"position", "x"}};
  EXPECT_EQ(paths_of_columns(table), expected);
}

TEST(NamePattern, FindsTheNumberInANameOfTheSeries) {
  const auto padded = NamePattern::of("run_%06T.h5");
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->number_in("run_000012.h5"), 12);
  EXPECT_EQ(padded->number_in("run_1000012.h5"), 1000012);
  EXPECT_EQ(padded->number_in("run_0000012.h5"), std::nullopt);
  EXPECT_EQ(padded->number_in("run_12.h5"), std::nullopt);
  EXPECT_EQ(padded->number_in("run_00001x.h5"), std::nullopt);
  const auto plain = NamePattern::of("run_%T");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ending_in(".h5").number_in("run_7.h5"), 7);
  EXPECT_EQ(plain->number_in("run_"), std::nullopt);
  EXPECT_EQ(plain->ending_in(".h5").first_of(std::vector<std::string>{"run_20.h5", "run_3.h5", "other.h5"}),
            "run_3.h5");
  EXPECT_FALSE(NamePattern::of("run.h5"));
  EXPECT_FALSE(NamePattern::of("run_%xT.h5"));
}

}  // namespace
}  // namespace quire::hdf5::names_test
