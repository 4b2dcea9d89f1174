#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace quire::test {

/// Restricts a program of several sources to the tests of the one that QUIRE_TEST_SOURCE names, if it is set. Call it
/// after InitGoogleTest. A name that no source has leaves no test to run. A filter that was given remains.
inline void choose_source() {
  const char* source = std::getenv("QUIRE_TEST_SOURCE");
  if (source == nullptr || GTEST_FLAG_GET(filter) != "*") return;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter = source;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      if (std::filesystem::path(test.file()).filename() != source) continue;
      filter += std::string(":") + suite.name() + '.' + test.name();
    }
  }
  GTEST_FLAG_SET(filter, filter);
}

}  // namespace quire::test
