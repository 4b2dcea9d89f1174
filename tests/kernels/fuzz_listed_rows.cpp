// Entry point of a fuzzer: any bytes as the bins of a list of rows, with the right checksums; only bad_file errors may
// be thrown, and rows must ascend within the table. Built as a fuzzer with QUIRE_FUZZ, and run by value_list_test.cpp.
//
// Two bytes are the number of rows of the table. Each bin follows: two bytes are its rows, one its range of keys, one
// the length of its bytes, which follow.

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/value_list.hpp"
#include "quire/base/error.hpp"

namespace {

using namespace quire;
using kernels::Key;

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> left) : left_(left) {}
  [[nodiscard]] bool is_empty() const { return left_.empty(); }
  [[nodiscard]] std::span<const std::byte> next(std::size_t count) {
    const auto found = left_.first(std::min(count, left_.size()));
    left_ = left_.subspan(found.size());
    return std::as_bytes(found);
  }
  [[nodiscard]] std::uint32_t number(std::size_t width) {
    std::uint32_t value = 0;
    for (const std::byte byte : next(width)) value = value * 256 + std::to_integer<std::uint32_t>(byte);
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

void expect_rows(std::span<const std::uint32_t> rows, std::size_t total) {
  if (!std::ranges::is_sorted(rows)) throw std::logic_error("rows do not ascend");
  if (!rows.empty() && rows.back() >= total) throw std::logic_error("a row is beyond the table");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes({data, size});
  const std::size_t total = bytes.number(2);
  kernels::ValueList list;
  for (Key lower = kernels::key_of(0.0); !bytes.is_empty(); lower += 256) {
    kernels::ListBin bin{.lower = lower, .upper = lower, .offset = list.content.size(), .rows = 0, .checksum = 0};
    bin.rows = bytes.number(2);
    bin.upper += bytes.number(1);
    const auto stored = bytes.next(bytes.number(1));
    bin.checksum = static_cast<std::uint32_t>(XXH3_64bits(stored.data(), stored.size()));
    list.content.insert(list.content.end(), stored.begin(), stored.end());
    list.bins.push_back(bin);
  }
  for (const Key first : {Key{0}, Key{100}}) {
    try {
      const auto found = kernels::listed_rows(list.bins, list.content, 0, {kernels::key_of(0.0) + first}, total);
      expect_rows(found.certain, total);
      expect_rows(found.candidates, total);
      const std::vector<double> values(total);
      static_cast<void>(kernels::is_list_of(values, list.bins, list.content));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_file) throw;
    }
  }
  return 0;
}
