// The changes that are reported before anything is written.

#include <gtest/gtest.h>

#include <string>

#include "format/sdds/format.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::sdds::fit_test {
namespace {

TEST(Fit, ReportsChanges) {
  FileDescription file;
  Attribute of_file;
  of_file.name = "made by";
  of_file.value = Value("test");
  of_file.type = Type::string;
  file.attributes.push_back(of_file);
  StepDescription step;
  Attribute small;
  small.name = "n";
  small.value = Value(std::uint8_t{3});
  small.type = Type::uint8;
  small.description = "two\nlines and \"quotes\"";
  step.attributes.push_back(small);
  Table& table = step.tables.emplace_back();
  table.name = "electrons";
  table.columns.emplace_back().name = "momentum x";
  table.columns.emplace_back().name = "momentum_x";
  table.columns.back().display = "%d";
  step.tables.emplace_back().name = "ions";
  Field& field = step.fields.emplace_back();
  field.name = "E";
  field.extents = {4};
  field.components = 3;
  field.attributes.push_back(of_file);

  const Fit fit = sdds_format().fit_with_presets(file, step);
  EXPECT_EQ(fit.adapted.attributes[0].type, Type::uint16);
  EXPECT_EQ(fit.adapted.attributes[0].value, Value(std::uint16_t{3}));
  EXPECT_EQ(fit.adapted.attributes[0].description, "two lines and \"quotes\"");
  ASSERT_EQ(fit.adapted.tables.size(), 1U);
  EXPECT_EQ(fit.adapted.tables[0].columns[0].name, "momentum_x");
  EXPECT_EQ(fit.adapted.tables[0].columns[1].name, "momentum_x_");
  EXPECT_TRUE(fit.adapted.fields[0].attributes.empty());
  std::string all;
  for (const Change& change : fit.changes) all += std::string(name(change.kind)) + ": " + sentence(change) + '\n';
  for (const char* part :
       {"made by", "reshaped: attribute n: type uint8 becomes uint16", "line ends", "quotation marks", "ions",
        "electrons", "(now momentum_x): the name has forbidden characters", "%d", "3 components",
        "the attribute made by is left out"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " is not in\n" << all;
  }
  // An adapted step is accepted.
  const auto planner = sdds_format().plan_writing(CheckedOptions(sdds_format().write_options, {}));
  planner->set_file(file);
  EXPECT_NO_THROW(static_cast<void>(planner->accept(fit.adapted, false)));
  EXPECT_TRUE(sdds_format().fit_with_presets({}, {}).changes.empty());
}

TEST(Fit, CanonicalTextReportsNumbersThatLoseDigits) {
  StepDescription step;
  step.attributes.emplace_back().name = "s";
  step.attributes.back().type = Type::float80;
  step.attributes.back().value = Value(1.0).converted_to(Type::float80);
  Table& table = step.tables.emplace_back();
  for (const Type type : {Type::float64, Type::float32, Type::int64}) {
    table.columns.emplace_back().name = name(type);
    table.columns.back().type = type;
  }
  const auto losses = [&](const Options& options) {
    std::vector<std::string> sentences;
    for (const Change& change :
         sdds_format().fit({}, step, CheckedOptions(sdds_format().write_options, options)).changes) {
      sentences.push_back(sentence(change));
    }
    return sentences;
  };
  const std::string tail = ": values may change in the last one, and the largest become infinite";
  EXPECT_EQ(losses({{"mode", "ascii"}, {"canonical", "true"}}),
            (std::vector<std::string>{"column float64: canonical text keeps 16 digits of float64" + tail,
                                      "attribute s: canonical text keeps 19 digits of float80" + tail}));
  EXPECT_TRUE(losses({{"mode", "ascii"}}).empty());
  EXPECT_TRUE(losses({{"canonical", "true"}}).empty());
}

}  // namespace
}  // namespace quire::sdds::fit_test
