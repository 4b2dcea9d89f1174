#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"

namespace quire::conversion_errors_test {
namespace {

/// For every format: the error of a value that does not fit names its column and row.
TEST(ConversionErrors, NameColumnAndRowInEveryFormat) {
  const std::vector<double> charge{0.5, 0.25, 0.1};
  for (const Format* format : formats()) {
    if (!format->holds_tables) continue;
    const std::string path =
        std::string(std::getenv("QUIRE_TEST_DIRECTORY")) + "/ConversionErrors." + std::string(format->name);
    WriteOptions options;
    options.format = format->name;
    Writer writer = create(path, Comm::self(), options);
    writer.write_step(0, [&](WriteStep& step) { step.put("charge", charge); });
    writer.close();

    Reader reader = open(path);
    std::vector<float> narrow(3);
    try {
      reader.at(0).read("", {0, 3}, {{"charge", View(narrow)}});
      ADD_FAILURE() << "0.1 became a float32 in " << format->name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::type);
      EXPECT_EQ(error.object(), "charge");
      EXPECT_NE(error.message().find("row 2 "), std::string::npos) << error.what();
    }
    std::vector<float> exact(2);
    reader.at(0).read("", {0, 2}, {{"charge", View(exact)}});
    EXPECT_EQ(exact[1], 0.25F);
    reader.close();
  }
}

}  // namespace
}  // namespace quire::conversion_errors_test
