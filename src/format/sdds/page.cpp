#include "format/sdds/page.hpp"

#include <algorithm>
#include <string>

#include "format/sdds/binary_page.hpp"
#include "format/sdds/text_page.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sdds {

std::unique_ptr<PageDescriber> describe_page(const PageContext& context, std::uint64_t offset) {
  if (context.header->data.mode == Mode::ascii) return std::make_unique<TextPage>(context, offset);
  return std::make_unique<BinaryPage>(context, offset);
}

std::optional<std::int64_t> whole_number(const Value& value) {
  if (!is_integer(value.type())) return std::nullopt;
  if (value.type() == Type::uint64 && load<std::int64_t>(value.bytes().data(), native_order) < 0) return std::nullopt;
  return value.as_integer();
}

Error missing_rows(std::uint64_t declared, std::uint64_t complete, const Error& reason) {
  Error error(ErrorKind::bad_file, "the table declares " + std::to_string(declared) + " rows, of which " +
                                       std::to_string(complete) + " are complete: " + reason.message());
  if (complete > 0) error.advise("recover keeps the complete rows");
  return error;
}

Error unfinished_step() {
  return Error(ErrorKind::bad_file, "unfinished step: its writer ended or still runs")
      .advise("the steps before it are whole; recover drops it");
}

std::uint64_t element_count(const std::vector<std::uint64_t>& extents, const std::string& object,
                            std::uint64_t offset) {
  if (std::find(extents.begin(), extents.end(), 0U) != extents.end()) return 0;
  try {
    return volume(extents);
  } catch (Error& error) {
    throw error.on(object).at(offset);
  }
}

Quantity quantity_of(const Definition& definition) {
  Quantity quantity;
  quantity.name = definition.name;
  quantity.type = definition.type;
  quantity.unit = definition.units.value_or(std::string());
  quantity.symbol = definition.symbol.value_or(std::string());
  quantity.description = definition.description.value_or(std::string());
  quantity.display = definition.format_string.value_or(std::string());
  return quantity;
}

}  // namespace quire::sdds
