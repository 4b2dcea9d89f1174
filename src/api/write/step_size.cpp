#include "api/write/step_size.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

namespace quire {
namespace {

constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 60;

/// Throws a usage error if the product of the factors is larger than what a file holds.
void require_product(std::span<const std::uint64_t> factors, const std::string& name) {
  if (std::ranges::find(factors, 0U) != factors.end()) return;
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (factor > largest_bytes / product) {
      throw Error(ErrorKind::usage, "it has more than 2^60 bytes, which is more than a file holds")
          .on(name)
          .advise("check the numbers of rows and the extents that are given");
    }
    product *= factor;
  }
}

}  // namespace

void require_size(const Table& table, std::uint64_t rows) {
  std::uint64_t width = 0;
  for (const Column& column : table.columns) width += bytes_of(column);
  require_product(std::vector{rows, width}, table.name);
}

void require_size(const Field& field) {
  std::vector<std::uint64_t> factors(field.extents.begin(), field.extents.end());
  factors.push_back(field.components);
  factors.push_back(size_of(field.type));
  require_product(factors, field.name);
}

}  // namespace quire
