#include "format/sdds/page_plan.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "format/sdds/text_title.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sdds {

std::unique_ptr<PagePlan> plan_page(const PageSubject& page) {
  return page.header->data.mode == Mode::ascii ? plan_text_page(page) : plan_binary_page(page);
}

std::uint64_t row_count_for(const Header& header, std::uint64_t rows, std::uint64_t growth_rows) {
  if (growth_rows == 0) return rows;
  const bool is_text = header.data.mode == Mode::ascii;
  const std::uint64_t largest = is_text ? 99'999'999 : std::numeric_limits<std::int32_t>::max();
  if (rows > largest) {
    Error error(ErrorKind::unsupported, std::string("a page of ") + (is_text ? "text" : "binary data") +
                                            " that grows has " + std::to_string(largest) + " rows at most");
    throw error.advise("begin another step");
  }
  return std::min((rows / growth_rows + 2) * growth_rows, largest);
}

PublishWrite count_change(const Header& header, std::uint64_t offset, std::uint64_t from, std::uint64_t to) {
  if (header.data.mode == Mode::ascii) {
    const std::string before = count_text(from, false);
    const std::string after = count_text(to, false);
    const auto same = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).second - after.begin();
    const auto bytes = std::as_bytes(std::span(after)).subspan(static_cast<std::size_t>(same));
    return {offset + static_cast<std::uint64_t>(same), {bytes.begin(), bytes.end()}};
  }
  std::vector<std::byte> bytes(sizeof(std::int32_t));
  store(bytes.data(), static_cast<std::int32_t>(to), header.order());
  return {offset, std::move(bytes)};
}

std::vector<OrderedArray> arrays_in_order(const Header& header, const StepDescription& step) {
  const std::vector<FieldArray> arrays = field_arrays(step);
  NameIndex names;
  std::vector<OrderedArray> ordered;
  for (const ArrayDefinition& definition : header.arrays) {
    if (is_attribute_array(definition)) continue;
    const auto found = names.find(arrays, definition.name);
    if (!found) throw Error(ErrorKind::internal, "a step was not accepted").on(definition.name);
    ordered.push_back({arrays[*found], *found});
  }
  return ordered;
}

std::uint64_t elements_of(const Field& field) {
  return std::find(field.extents.begin(), field.extents.end(), 0) != field.extents.end() ? 0 : volume(field.extents);
}

}  // namespace quire::sdds
