#include "format/sdds/loaded_file.hpp"

#include <gtest/gtest.h>

#include "format/sdds/describer.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer.hpp"

namespace quire::sdds::test {

std::unique_ptr<Describer> describer_of(const std::string& name, const std::string& bytes) {
  const CheckedOptions options(sdds_format().read_options, {});
  return sdds_format().describe(std::make_shared<test::MemorySource>(bytes), test::context_of(name), options);
}

LoadedFile load_file(const std::string& bytes) {
  const auto describer = describer_of("file", bytes);
  LoadedFile loaded{describer->file(), {}};
  for (std::uint64_t i = 0; i < describer->steps(); ++i) loaded.steps.push_back(test::load(*describer->step(i), bytes));
  return loaded;
}

std::string write_file(const LoadedFile& loaded, int ranks, const Options& options) {
  MemoryWriter writer(sdds_format(), ranks, options);
  writer.set_file(loaded.file);
  for (const LoadedStep& step : loaded.steps) {
    std::vector<StepPart> parts;
    for (int rank = 0; rank < ranks; ++rank) parts.push_back(test::part_of(step, rank, ranks));
    writer.write(std::move(parts));
  }
  return writer.finish();
}

Header header_of(const std::string& bytes) {
  test::MemorySource source(bytes);
  return read_header(source, {}, {});
}

Options options_like(const Header& header) {
  Options options{{"step_parameter", has_step_parameter(header) ? "true" : "false"}};
  const bool may_grow = !header.columns.empty() && !header.data.column_major && !header.data.no_row_counts;
  if (header.data.fixed_row_count && may_grow) options["fixed_row_count"] = "500";
  if (header.data.mode == Mode::ascii) {
    options["mode"] = "ascii";
    options["lines_per_row"] = std::to_string(header.data.lines_per_row);
    options["no_row_counts"] = header.data.no_row_counts ? "true" : "false";
  } else {
    options["byte_order"] = header.order() == ByteOrder::little ? "little" : "big";
    options["major_order"] = header.data.column_major ? "column" : "row";
  }
  return options;
}

void expect_same(const LoadedFile& found, const LoadedFile& expected) {
  EXPECT_EQ(found.file.title, expected.file.title);
  EXPECT_EQ(found.file.contents, expected.file.contents);
  EXPECT_EQ(pack(found.file.attributes), pack(expected.file.attributes));
  ASSERT_EQ(found.steps.size(), expected.steps.size());
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    EXPECT_EQ(found.steps[i].description.number, expected.steps[i].description.number);
    EXPECT_EQ(found.steps[i].description.attributes, expected.steps[i].description.attributes);
    EXPECT_EQ(found.steps[i].description.tables, expected.steps[i].description.tables);
    EXPECT_EQ(found.steps[i].description.fields, expected.steps[i].description.fields);
    EXPECT_EQ(found.steps[i].numbers, expected.steps[i].numbers);
    for (std::size_t k = 0; k < found.steps[i].strings.size(); ++k) {
      EXPECT_EQ(found.steps[i].strings[k].bytes, expected.steps[i].strings[k].bytes);
      EXPECT_EQ(found.steps[i].strings[k].offsets, expected.steps[i].strings[k].offsets);
    }
  }
}

const std::map<std::string, std::string>& not_from_the_model() {
  static const std::map<std::string, std::string> reasons{
      {"fixedrows_unfinished_bin.sdds", "its writer died"},
      {"header_only_bin.sdds", "the model has no structure without a step"},
      {"header_only_ascii.sdds", "the same"},
      {"header_bin.sdds", "a parameter with a fixed value is after others; the model lists those of the file first"},
      {"beam_row_le.sdds", "the same"},
      {"beam_col_le.sdds", "the same"},
      {"header_ascii.sdds", "the same"},
      {"beam_ascii.sdds", "the same"},
      {"fixed_values_ascii.sdds", "fixed values as below"},
      {"fixed_values_bin.sdds", "fixed values are texts like 3.5e3 and +7; the model has numbers"},
  };
  return reasons;
}

}  // namespace quire::sdds::test
