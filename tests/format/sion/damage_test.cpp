// Vectors with every byte of their metadata changed and cut at every place: never a crash, never more than the file.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::test {
namespace {

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(QUIRE_TEST_DATA_FOLDER "/sion")) {
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
      // The name in the header and the data decide about nothing.
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

}  // namespace
}  // namespace quire::test
