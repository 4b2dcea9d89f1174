// A rank leaves its file after the last commit while all others close it: the committed steps are in the file, or every
// rank that closes throws the same error. For every format and every way in which a file is replaced.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/variant_file.hpp"

namespace quire::test::given_up_test {
namespace {

namespace files = std::filesystem;

constexpr std::size_t rows = 10;  // per rank
constexpr double old_mark = 7.0;

class GivenUp : public VariantTest {
 protected:
  /// Whether such a file can exist: sets of files are not compressed.
  bool prepare(const Options& way) {
    options_ = GetParam().write_options();
    options_.deadline = std::chrono::seconds(60);
    options_.options.insert(way.begin(), way.end());
    const files::path home = path("given_up_" + GetParam().name());
    file_ = (home / "file").string();
    comm_.barrier();
    if (comm_.is_root()) {
      files::remove_all(home);
      files::create_directory(home);
    }
    comm_.barrier();
    const auto refused = error_of([&] {
      Writer out = create(file_, comm_, options_);
      write(out, 0, old_mark);
      out.close();
    });
    return !refused || refused->kind() != ErrorKind::usage;
  }

  void write(Writer& out, std::int64_t number, double mark) {
    const std::vector<double> x(rows, mark);
    WriteStep step = out.step(number);
    step.put("x", x).put("y", x).put("z", x);
    step.commit();
  }

  /// Writes as many steps as the file can hold. Returns the mark of each.
  std::vector<double> write_steps(Writer& out) {
    std::vector<double> marks;
    for (std::int64_t number = 0; number < possible_steps(*GetParam().format, 2); ++number) {
      marks.push_back(static_cast<double>(number + 1));
      write(out, number, marks.back());
    }
    return marks;
  }

  /// The marks of the steps in the file, which is whole.
  std::vector<double> marks() {
    std::vector<double> marks;
    Reader in = open(file_, comm_);
    EXPECT_EQ(in.check().damage, std::nullopt);
    for (std::uint64_t i = 0; i < in.size(); ++i) {
      std::vector<double> x(rows);
      in.at(i).read("", Slice{rows * static_cast<std::uint64_t>(comm_.rank()), rows}, {{"x", View(std::span(x))}});
      EXPECT_EQ(x, std::vector(rows, x.front()));
      marks.push_back(x.front());
    }
    in.close();
    return marks;
  }

  /// The same of a file that has no temporary files next to it.
  std::vector<double> marks_in_file() {
    const std::vector<double> found = marks();
    for (const char* suffix : {".quire-partial", ".quire-ready", ".quire-previous", ".plain", ".compressed"}) {
      EXPECT_FALSE(files::exists(file_ + suffix)) << suffix;
    }
    return found;
  }

  /// One rank leaves by abort(), all others close. Returns whether the committed steps are in the file.
  bool is_kept_without(int leaver) {
    Writer out = create(file_, comm_, options_);
    const std::vector<double> written = write_steps(out);
    const bool leaves = comm_.rank() == leaver;
    const auto error = error_of([&] { leaves ? out.abort("the beam was lost") : out.close(); });
    const bool is_kept = marks_in_file() == written;
    if (is_kept || leaves) {
      EXPECT_EQ(error, std::nullopt) << error->what();
    } else {
      expect_error(error, leaver, "the beam was lost");
    }
    if (!is_kept) {
      EXPECT_EQ(marks_in_file(), std::vector{old_mark});
    }
    return is_kept;
  }

  /// The same if an exception of one rank leaves close_after(), after the last commit or before it.
  bool is_kept_after_exception(int leaver, bool is_late) {
    Writer out = create(file_, comm_, options_);
    const bool leaves = comm_.rank() == leaver;
    std::vector<double> written;
    const auto error = error_of([&] {
      out.close_after([&] {
        if (leaves && !is_late) throw Error(ErrorKind::conflict, "the beam was lost");
        written = write_steps(out);
        if (leaves) throw Error(ErrorKind::conflict, "the beam was lost");
      });
    });
    const bool is_kept = is_late && marks_in_file() == written;
    if (leaves) {
      EXPECT_TRUE(error && error->kind() == ErrorKind::conflict) << "the exception of the program is lost";
    } else if (is_kept) {
      EXPECT_EQ(error, std::nullopt) << error->what();
    } else if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::aborted) << error->what();
      EXPECT_EQ(error->rank(), leaver) << error->what();
      EXPECT_NE(error->message().find("the beam was lost"), std::string::npos) << error->what();
    } else {
      ADD_FAILURE() << "steps are lost without an error";
    }
    return is_kept;
  }

  /// An exception on one rank ends its writer, all others close. Returns the marks of the steps that were committed.
  std::vector<double> written_without(int leaver) {
    std::vector<double> written;
    // Ranks whose wait has ended cannot use the communicator of the file again.
    Comm ranks = everyone();
    const auto thrown = error_of([&] {
      Writer out = create(file_, ranks, options_);
      written = write_steps(out);
      if (comm_.rank() == leaver) throw Error(ErrorKind::conflict, "of the program");
      out.comm().set_deadline(std::chrono::milliseconds(100));
      out.close();
    });
    EXPECT_TRUE(thrown.has_value()) << "close() returns although a rank has left the file";
    if (thrown && comm_.rank() != leaver) {
      EXPECT_EQ(thrown->kind(), ErrorKind::deadline) << thrown->what();
      EXPECT_EQ(thrown->file(), file_) << thrown->what();
    }
    comm_.barrier();
    return written;
  }

  void expect_error(const std::optional<Error>& error, int leaver, const std::string& reason) const {
    ASSERT_NE(error, std::nullopt) << "committed steps are lost without an error";
    EXPECT_EQ(error->kind(), ErrorKind::aborted) << error->what();
    EXPECT_EQ(error->rank(), leaver) << error->what();
    EXPECT_EQ(error->file(), file_) << error->what();
    EXPECT_NE(error->message().find(reason), std::string::npos) << error->what();
    EXPECT_NE(error->advice().find("the path is unchanged"), std::string::npos) << error->what();
  }

  [[nodiscard]] std::vector<int> leavers() const { return {0, comm_.size() - 1}; }

  WriteOptions options_;
  std::string file_;
};

TEST_P(GivenUp, CommittedStepsStayIfTheFileIsWrittenInPlace) {
  for (const int leaver : leavers()) {
    ASSERT_TRUE(prepare({{"replacement", "direct"}}));
    EXPECT_TRUE(is_kept_without(leaver)) << leaver;
  }
}

TEST_P(GivenUp, CommittedStepsOfACompressedFileStay) {
  for (const int leaver : leavers()) {
    if (!prepare({{"compression", "gzip"}})) GTEST_SKIP() << "not compressed";
    EXPECT_TRUE(is_kept_without(leaver)) << leaver;
  }
}

TEST_P(GivenUp, AFileReplacedAsAWholeIsLostWithAnErrorOnAllRanks) {
  for (const int leaver : leavers()) {
    ASSERT_TRUE(prepare({{"replacement", "whole"}}));
    const bool is_kept = is_kept_without(leaver);
    // The commit of the only step replaces the file.
    EXPECT_TRUE(!is_kept || GetParam().format->holds_one_step) << leaver;
  }
}

TEST_P(GivenUp, ACompressedFileReplacedAsAWholeIsLostWithAnErrorOnAllRanks) {
  for (const int leaver : leavers()) {
    if (!prepare({{"compression", "gzip"}, {"replacement", "whole"}})) GTEST_SKIP() << "not compressed";
    EXPECT_FALSE(is_kept_without(leaver)) << leaver;
  }
}

TEST_P(GivenUp, AStepLeftWithoutCommitLosesTheFileWithAnErrorOnAllRanks) {
  if (GetParam().format->holds_one_step) GTEST_SKIP() << "the file holds one step";
  const int leaver = comm_.size() - 1;
  ASSERT_TRUE(prepare({{"replacement", "whole"}}));
  Writer out = create(file_, comm_, options_);
  write_steps(out);
  if (comm_.rank() == leaver) static_cast<void>(out.step(9));
  expect_error(error_of([&] { out.close(); }), leaver, "left without commit");
  EXPECT_EQ(marks_in_file(), std::vector{old_mark});
}

TEST_P(GivenUp, NoRankWaitsForOneThatLeavesCloseAfterByAnException) {
  for (const int leaver : leavers()) {
    ASSERT_TRUE(prepare({{"replacement", "direct"}}));
    EXPECT_TRUE(is_kept_after_exception(leaver, true)) << leaver;
    ASSERT_TRUE(prepare({{"replacement", "whole"}}));
    EXPECT_FALSE(is_kept_after_exception(leaver, false)) << leaver;
    EXPECT_EQ(marks_in_file(), std::vector{old_mark});
    const bool is_kept = is_kept_after_exception(leaver, true);
    EXPECT_TRUE(!is_kept || GetParam().format->holds_one_step) << leaver;
  }
}

TEST_P(GivenUp, CommittedStepsStayWithAnErrorOnAllOthersIfAnExceptionEndsAWriter) {
  for (const int leaver : leavers()) {
    ASSERT_TRUE(prepare({{"replacement", "direct"}}));
    const std::vector<double> written = written_without(leaver);
    EXPECT_EQ(marks_in_file(), written) << leaver;
  }
}

TEST_P(GivenUp, AFileReplacedAsAWholeIsLostWithAnErrorOnAllOthersIfAnExceptionEndsAWriter) {
  const int leaver = comm_.size() - 1;
  ASSERT_TRUE(prepare({{"replacement", "whole"}}));
  const std::vector<double> written = written_without(leaver);
  // The commit of the only step replaces the file.
  EXPECT_EQ(marks(), GetParam().format->holds_one_step ? written : std::vector{old_mark});
}

TEST_P(GivenUp, NoErrorIfAllRanksAbort) {
  ASSERT_TRUE(prepare({{"replacement", "whole"}}));
  Writer out = create(file_, comm_, options_);
  EXPECT_EQ(error_of([&] { out.abort("not wanted"); }), std::nullopt);
  EXPECT_EQ(marks_in_file(), std::vector{old_mark});
}

INSTANTIATE_TEST_SUITE_P(Variants, GivenUp, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::given_up_test
