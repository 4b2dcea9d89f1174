// Striping is done by the tool of the file system; requests that are not applied are reported.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"

namespace quire::test::striping_test {
namespace {

/// Sets PATH to a folder with only a tool of this content, if any, during its lifetime.
class Tool {
 public:
  explicit Tool(const std::string& name, const std::string& script) : folder_(path(name)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    if (!script.empty()) {
      std::ofstream(folder_ + "/lfs") << "#!/bin/sh\n" << script;
      std::filesystem::permissions(folder_ + "/lfs", std::filesystem::perms::owner_all);
    }
    ::setenv("PATH", folder_.c_str(), 1);
  }
  ~Tool() { ::setenv("PATH", before_.c_str(), 1); }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::string before_ = ::getenv("PATH");
};

std::vector<std::string> remarks_of_writing(const std::string& file, const Options& options) {
  WriteOptions how;
  how.format = formats().front()->name;
  how.options = options;
  Writer out = create(file, Comm::self(), how);
  const std::vector<double> x{1, 2};
  WriteStep step = out.step(0);
  step.put("x", x);
  step.commit();
  std::vector<std::string> remarks = out.remarks();
  out.close();
  return remarks;
}

TEST(Striping, IsAppliedByTheToolOfTheFileSystem) {
  const Tool tool("tool", "echo \"$@\" > \"$(/usr/bin/dirname \"$0\")/words\"\nfor file; do :; done\n: > \"$file\"\n");
  const std::string file = path("striped");
  std::filesystem::remove(file);
  EXPECT_TRUE(remarks_of_writing(file, {{"stripe_count", "4"}, {"stripe_size", "1048576"}}).empty());
  EXPECT_EQ(bytes_of(tool.folder() + "/words"), "setstripe -c 4 -S 1048576 " + file + "\n");
  EXPECT_GT(std::filesystem::file_size(file), 0U);
}

TEST(Striping, ThatIsNotAppliedIsReported) {
  const std::string file = path("plain");
  const auto remark = [&](const std::string& name, const std::string& script) {
    const Tool tool(name, script);
    const std::vector<std::string> remarks = remarks_of_writing(file, {{"stripe_count", "-1"}});
    return remarks.size() == 1 ? remarks.front() : std::to_string(remarks.size()) + " remarks";
  };
  std::filesystem::remove(file);
  EXPECT_NE(remark("no_tool", "").find("lfs is not installed"), std::string::npos);
  EXPECT_NE(remark("again", "").find("the file exists"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_NE(remark("refusing_tool", "exit 3\n").find("ended with 3"), std::string::npos);
  EXPECT_TRUE(remarks_of_writing(file, {}).empty());
}

TEST(Striping, AcceptsValidNumbers) {
  const Options wrong[] = {{{"stripe_count", "-2"}}, {{"stripe_count", "65536"}}, {{"stripe_size", "1000"}}};
  for (const Options& options : wrong) {
    EXPECT_THROW(static_cast<void>(remarks_of_writing(path("wrong"), options)), Error) << options.begin()->second;
  }
  const std::string file = path("appended");
  static_cast<void>(remarks_of_writing(file, {}));
  WriteOptions late;
  late.options = {{"stripe_count", "2"}};
  EXPECT_THROW(static_cast<void>(append(file, Comm::self(), {}, Later::refuse, late)), Error);
}

}  // namespace
}  // namespace quire::test::striping_test
