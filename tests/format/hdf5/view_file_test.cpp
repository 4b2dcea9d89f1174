// Views of datasets of other files: what cannot be a view is refused.

#include "quire/format/view_file.hpp"

#include <gtest/gtest.h>

#include "quire/base/error.hpp"
#include "support/error_of.hpp"

namespace quire::test::view_file_test {
namespace {

ViewFile with_piece(ViewPiece piece) {
  ViewFile file;
  file.views.push_back({"/view", Type::float64, {4, 3}, 0.0, {std::move(piece)}});
  return file;
}

TEST(ViewFile, IsTheSameBytesForTheSameContents) {
  const ViewFile file = with_piece({"run.h5", "/x", {4}, {0, 1}, {4, 1}});
  const std::vector<std::byte> bytes = view_file_bytes(file);
  EXPECT_EQ(static_cast<char>(bytes.at(1)), 'H');
  EXPECT_EQ(view_file_bytes(file), bytes);
}

TEST(ViewFile, RefusesBoxesThatDoNotFit) {
  const std::vector<ViewPiece> wrong = {
      {"run.h5", "/x", {5}, {0, 1}, {4, 1}},  // more elements than the box
      {"run.h5", "/x", {4}, {0}, {4}},        // other axes
      {"run.h5", "/x", {4}, {1, 1}, {4, 1}},  // beyond the view
      {"run.h5", "/x", {4}, {0, ~std::uint64_t{0}}, {4, 1}},
      {"run.h5", "/x", {0}, {0, 0}, {0, 1}},  // empty
  };
  for (const ViewPiece& piece : wrong) {
    const auto error = error_of([&] { (void)view_file_bytes(with_piece(piece)); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::usage);
    EXPECT_EQ(error->object(), "/view");
  }
}

TEST(ViewFile, RefusesMembersOfGroupsThatDoNotExist) {
  ViewFile file;
  file.counts.emplace_back("/none/count", 3);
  const auto error = error_of([&] { (void)view_file_bytes(file); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->object(), "/none/count");
}

}  // namespace
}  // namespace quire::test::view_file_test
