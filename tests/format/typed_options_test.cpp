// Options of formats as types. test_typed_options.py compares the types with the tables of options.

#include <gtest/gtest.h>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"

namespace quire::typed_options_test {
namespace {

TEST(TypedOptions, AreTextsOfWhatWasGiven) {
  const Options options = H5partWriteOptions{.chunk = 4096, .filter = "zstd", .shuffle = false};
  EXPECT_EQ(options, (Options{{"chunk", "4096"}, {"filter", "zstd"}, {"shuffle", "false"}}));
  EXPECT_TRUE(Options(SddsReadOptions{}).empty());
}

TEST(TypedOptions, ArePassedAsOptions) {
  const std::string file = test::path("typed_options.h5");
  WriteOptions writing;
  writing.options = H5partWriteOptions{.step_name = "Turn"};
  Writer out = create(file, Comm::self(), writing);
  WriteStep step = out.step(3);
  const std::vector<double> x{1, 2, 3};
  step.put("x", x);
  step.commit();
  out.close();
  ReadOptions reading;
  reading.options = H5partReadOptions{.step_name = "Turn"};
  Reader in = open(file, Comm::self(), reading);
  EXPECT_EQ(in.numbers(), std::vector<std::int64_t>{3});
  in.close();
}

TEST(TypedOptions, AreCheckedAgainstTheTable) {
  WriteOptions writing;
  writing.options = H5partWriteOptions{.filter = "lzma"};
  const auto error =
      test::error_of([&] { static_cast<void>(create(test::path("typed_options_refused.h5"), Comm::self(), writing)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage) << error->what();
}

}  // namespace
}  // namespace quire::typed_options_test
