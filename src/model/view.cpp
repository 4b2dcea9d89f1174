#include "quire/model/value.hpp"

namespace quire {

std::string_view ConstView::text(std::uint64_t i) const {
  const auto index = static_cast<std::size_t>(first_string_ + i);
  if (const auto* packed = std::get_if<const PackedStrings*>(&strings)) return (**packed)[index];
  return std::get<std::span<const std::string>>(strings)[index];
}

ConstView ConstView::part(std::uint64_t first, std::uint64_t rows) const {
  ConstView result = *this;
  result.count = rows;
  if (type == Type::string) {
    result.first_string_ += first;
  } else {
    result.data += static_cast<std::ptrdiff_t>(first) * stride;
  }
  return result;
}

}  // namespace quire
