// Files that are written at once get the index of their limits as all others do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test::zones_of_files_test {
namespace {

constexpr std::uint64_t large_rows = std::uint64_t{1} << 23;

std::vector<const Format*> formats_of_tables() {
  std::vector<const Format*> found;
  for (const Format* format : formats()) {
    if (format->holds_tables) found.push_back(format);
  }
  return found;
}

class ZonesOfFiles : public testing::TestWithParam<const Format*> {
 protected:
  /// Whether a file of this many rows on all ranks, of which the last rank has most, has an index.
  bool has_index(std::uint64_t rows, const std::string& zones, const std::string& replacement) {
    WriteOptions options;
    options.format = GetParam()->name;
    options.transport = transport();
    options.options = {{"zones", zones}, {"replacement", replacement}};
    const std::uint64_t few = comm_.rank() == 0 && comm_.size() > 1 ? 0 : 7;
    const std::uint64_t of_others = 7 * static_cast<std::uint64_t>(std::max(comm_.size() - 2, 0));
    const std::uint64_t mine = comm_.rank() == comm_.size() - 1 ? rows - of_others : few;
    std::vector<float> x(mine);
    std::iota(x.begin(), x.end(), 0.0F);
    const Writer out = write_file(
        file_, comm_, 0, [&](Writer&, WriteStep& step) { step.put("x", std::span(std::as_const(x))); }, options);
    EXPECT_TRUE(out.remarks().empty());
    // Rank 0 removes the index of an older file; the others need not wait for that.
    comm_.barrier();
    const bool is_there = std::filesystem::exists(file_ + ".qix");
    comm_.barrier();
    return is_there;
  }

  Comm comm_ = everyone();
  std::string file_ = path("zones_of_files_" + std::string(GetParam()->name));
};

TEST_P(ZonesOfFiles, OnlyLargeTablesHaveAnIndexUnlessItIsAskedFor) {
  EXPECT_TRUE(has_index(large_rows, "auto", "suited"));
  EXPECT_FALSE(has_index(large_rows, "false", "suited"));
  // An older index goes, in whatever way its file is replaced.
  for (const std::string replacement : {"suited", "whole", "direct"}) {
    EXPECT_TRUE(has_index(large_rows, "auto", replacement)) << replacement;
    EXPECT_FALSE(has_index(5000, "auto", replacement)) << replacement;
  }
  EXPECT_FALSE(has_index(large_rows - 1, "auto", "suited"));
  EXPECT_TRUE(has_index(5000, "true", "suited"));
  if (comm_.is_root()) std::filesystem::remove(file_ + ".qix");
  comm_.barrier();
}

INSTANTIATE_TEST_SUITE_P(Formats, ZonesOfFiles, testing::ValuesIn(formats_of_tables()),
                         [](const auto& format) { return std::string(format.param->name); });

}  // namespace
}  // namespace quire::test::zones_of_files_test
