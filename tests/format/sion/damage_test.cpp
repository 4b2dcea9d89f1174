// Vectors with every byte of their metadata changed and cut at every offset: no crashes, no reads outside the file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "format/sion/describer.hpp"
#include "format/sion/physical_file.hpp"
#include "quire/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test::damage_test {
namespace {

std::vector<std::filesystem::path> files(const char* folder = QUIRE_TEST_DATA_FOLDER "/sion") {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".json" && ending != ".md") all.push_back(entry.path());
  }
  return all;
}

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void look(const std::vector<std::uint8_t>& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

TEST(Damage, OfAnyByteAndAnyCutIsRefusedOrHarmless) {
  ASSERT_GT(files().size(), 20U);
  for (const auto& path : files()) {
    SCOPED_TRACE(path.filename().string());
    const std::vector<std::uint8_t> good = bytes_of(path);
    look(good);
    for (std::size_t at = 0; at < good.size(); ++at) {
      // The name in the header and the data have no effect.
      if (at == 60) at = std::min<std::size_t>(1070, good.size());
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        if (at >= good.size()) break;
        std::vector<std::uint8_t> bad = good;
        bad[at] = static_cast<std::uint8_t>(value);
        look(bad);
      }
    }
    for (std::size_t size = 0; size < good.size(); size += 7) {
      look({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    }
  }
}

/// A file whose end is a hole. Reads of more bytes than the budget are errors.
class FileWithHole final : public ByteSource {
 public:
  FileWithHole(std::vector<std::uint8_t> head, std::uint64_t size, std::uint64_t budget)
      : head_(std::move(head)), size_(size), budget_(budget) {}
  [[nodiscard]] std::uint64_t size() override { return size_; }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (out.size() > budget_) throw std::logic_error("a read is larger than the memory budget");
    std::ranges::fill(out, std::byte{0});
    for (std::size_t i = 0; i < out.size() && offset + i < head_.size(); ++i) {
      out[i] = static_cast<std::byte>(head_[static_cast<std::size_t>(offset) + i]);
    }
    return out.size();
  }

 private:
  std::vector<std::uint8_t> head_;
  std::uint64_t size_;
  std::uint64_t budget_;
};

constexpr std::uint64_t budget = 1 << 20;
constexpr std::uint64_t size_with_hole = 8ULL << 30;

std::filesystem::path vector_named(const char* name) {
  return std::filesystem::path(QUIRE_TEST_DATA_FOLDER "/sion") / name;
}

void put_number(std::vector<std::uint8_t>& bytes, std::size_t at, std::int32_t number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

sion::PhysicalFile opened(const std::vector<std::uint8_t>& bytes, std::uint64_t size) {
  return {std::make_shared<FileWithHole>(bytes, size, budget), {.lenient = false, .memory_budget = budget}};
}

/// The kind of error that an action raises.
template <class Action>
ErrorKind kind_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was refused";
  return ErrorKind::internal;
}

TEST(Damage, ThatAFuzzerHasMadeIsRefusedOrHarmless) {
  const auto made = files(QUIRE_TEST_DATA_FOLDER "/fuzzed/sion");
  ASSERT_GT(made.size(), 30U);
  for (const auto& path : made) {
    SCOPED_TRACE(path.filename().string());
    look(bytes_of(path));
  }
}

TEST(Damage, OfTheNumberOfTasksNeedsNoMemoryInAFileWithAHole) {
  std::vector<std::uint8_t> bytes = bytes_of(vector_named("p03_three.sion"));
  constexpr std::size_t task_count = 24;
  ASSERT_EQ(bytes.at(task_count), 3);
  put_number(bytes, task_count, 1 << 28);
  EXPECT_EQ(kind_of([&] { opened(bytes, size_with_hole); }), ErrorKind::memory);
}

TEST(Damage, OfTheNumberOfFilesSearchesOnlyThoseInTheDirectory) {
  std::vector<std::uint8_t> bytes = bytes_of(vector_named("p03_three.sion"));
  constexpr std::size_t file_count = 28;
  ASSERT_EQ(bytes.at(file_count), 1);
  put_number(bytes, file_count, 5000);
  put_number(bytes, file_count + 4, 0);
  std::vector<std::string> searched;
  const DescribeContext context{
      .path = "set.sion",
      .memory_budget = budget,
      .neighbour = [&](const std::string& name) -> std::shared_ptr<ByteSource> {
        searched.push_back(name);
        return nullptr;
      },
      .beside =
          [] {
            return std::vector<std::string>{"set.sion", "set.sion.000003", "other.sion.000004"};
          }};
  sion::ReadRules rules;
  rules.cut = true;
  sion::SionDescriber describer(std::make_shared<FileWithHole>(bytes, bytes.size(), budget), context, rules);
  EXPECT_EQ(searched, std::vector<std::string>{"set.sion.000003"});
  EXPECT_GT(describer.file().members.size(), 4000U) << "all files that the header states are missing";
}

TEST(Damage, OfTheTableOfAllTasksNeedsNoMemoryInAFileWithAHole) {
  std::vector<std::uint8_t> bytes = bytes_of(vector_named("m05_mapped.sion"));
  const std::size_t entries = bytes.size() - 4 - 5 * std::size_t{8};
  ASSERT_EQ(bytes.at(entries), 5);
  EXPECT_EQ(opened(bytes, bytes.size()).mapping().size(), 5U);
  put_number(bytes, entries, 1 << 28);
  sion::PhysicalFile file = opened(bytes, size_with_hole);
  EXPECT_EQ(kind_of([&] { static_cast<void>(file.mapping()); }), ErrorKind::memory);
}

/// A merged file, and the bytes with the origins after its end.
std::vector<std::uint8_t> remembering(const sion::Origins& origins) {
  std::vector<std::uint8_t> bytes = bytes_of(vector_named("c04_merge.sion"));
  for (const std::byte byte : sion::print_origins(origins)) bytes.push_back(static_cast<std::uint8_t>(byte));
  return bytes;
}

/// The number of bytes of each task of this file; the first task is the collector.
std::vector<std::uint64_t> sizes_of_merged() {
  const std::vector<std::uint8_t> bytes = bytes_of(vector_named("c04_merge.sion"));
  sion::PhysicalFile file = opened(bytes, bytes.size());
  file.read_second();
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t task = 0; task < file.tasks(); ++task) sizes.push_back(file.bytes(task));
  return sizes;
}

TEST(Damage, OfACollectorThatIsNamedTwiceIsRefused) {
  const std::uint64_t size = sizes_of_merged().at(0);
  ASSERT_GT(size, 0U);
  const sion::Origins::Collector collector{0, {{1, size}}};
  const auto once = remembering({{collector}});
  sion::PhysicalFile good = opened(once, once.size());
  good.read_second();
  EXPECT_TRUE(good.origins().has_value());
  const auto twice = remembering({{collector, collector}});
  EXPECT_EQ(kind_of([&] { opened(twice, twice.size()).read_second(); }), ErrorKind::bad_file);
}

TEST(Damage, OfMergedStreamsInManyPartsStaysInTheMemoryBudget) {
  const std::uint64_t size = sizes_of_merged().at(0);
  ASSERT_GT(size, 64U);
  sion::Origins::Collector collector{0, {}};
  for (std::uint64_t i = 0; i < size; ++i) collector.runs.push_back({static_cast<std::int64_t>(i % 2), 1});
  const auto bytes = remembering({{collector}});
  const auto described = [&](std::uint64_t memory) {
    const DescribeContext context{.path = "merged.sion", .memory_budget = memory, .neighbour = {}};
    const auto source = std::make_shared<FileWithHole>(bytes, bytes.size(), bytes.size());
    return sion::SionDescriber(source, context, {}).steps();
  };
  EXPECT_EQ(described(budget), 1U);
  // Enough for the bytes that are read, but not for the decoded parts.
  EXPECT_EQ(kind_of([&] { described((2 * size + 3) * 2 * sizeof(std::uint64_t)); }), ErrorKind::memory);
}

}  // namespace
}  // namespace quire::test::damage_test
