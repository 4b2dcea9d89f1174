#include "format/sdds/page.hpp"

#include "format/sdds/binary_page.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {

std::unique_ptr<PageDescriber> describe_page(const PageContext& context, std::uint64_t offset) {
  if (context.header->data.mode == Mode::ascii) {
    throw Error(ErrorKind::unsupported, "the data are text (mode=ascii), which cannot be read yet")
        .at(offset)
        .advise("convert the file to mode=binary with another program");
  }
  return std::make_unique<BinaryPage>(context, offset);
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
