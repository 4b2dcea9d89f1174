// Writing pages of text through the pure planner: canonical files byte for byte, from any number of ranks.

#include <gtest/gtest.h>

#include "format/sdds/format.hpp"
#include "format/sdds/loaded_file.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

using test::header_of;
using test::load_file;
using test::LoadedFile;
using test::not_from_the_model;
using test::write_file;

/// A binary file and a canonical one with the same content as text.
struct Twin {
  std::string binary;
  std::string text;
  Options options;
};

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.text; }

std::vector<Twin> twins() {
  return {
      {"types_bin_le_row.sdds", "types_ascii.sdds", {}},
      {"extremes_bin_le.sdds", "extremes_ascii.sdds", {}},
      {"pages_bin_le.sdds", "pages_ascii.sdds", {}},
      {"pages_bin_le.sdds", "lpr2_ascii.sdds", {{"lines_per_row", "2"}}},
      {"pages_bin_le.sdds", "nrc_ascii.sdds", {{"no_row_counts", "true"}}},
      {"pages_bin_le.sdds", "lpr4_nrc_ascii.sdds", {{"no_row_counts", "true"}, {"lines_per_row", "4"}}},
      {"arrays_bin_le.sdds", "arrays_ascii.sdds", {}},
      {"arrays_bin_nocols.sdds", "arrays_ascii_nocols.sdds", {}},
      {"header_bin.sdds", "header_ascii.sdds", {}},
      {"fixed_values_bin.sdds", "fixed_values_ascii.sdds", {}},
      {"params_only_bin.sdds", "params_only_ascii.sdds", {}},
      {"updated_bin.sdds", "updated_ascii.sdds", {}},
      {"rowflags_bin.sdds", "rowflags_ascii.sdds", {}},
  };
}

class TextTwin : public testing::TestWithParam<Twin> {};

TEST_P(TextTwin, CanonicalTextIsTheOtherFile) {
  const auto& [binary, text, extra] = GetParam();
  const std::string bytes = test::read_vector(binary);
  const std::string wanted = test::read_vector(text);
  const LoadedFile loaded = load_file(bytes);
  Options options{{"mode", "ascii"},
                  {"canonical", "true"},
                  {"step_parameter", has_step_parameter(header_of(bytes)) ? "true" : "false"}};
  options.insert(extra.begin(), extra.end());
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const std::string found = write_file(loaded, ranks, options);
    if (not_from_the_model().contains(binary)) {
      EXPECT_EQ(found.substr(header_of(found).data_offset), wanted.substr(header_of(wanted).data_offset));
    } else {
      EXPECT_EQ(found, wanted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, TextTwin, testing::ValuesIn(twins()),
                         [](const auto& twin) { return test::test_name(twin.param.text); });

}  // namespace
}  // namespace quire::sdds
