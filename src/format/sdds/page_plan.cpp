#include "format/sdds/page_plan.hpp"

#include <algorithm>

#include "quire/base/error.hpp"

namespace quire::sdds {

std::unique_ptr<PagePlan> plan_page(const PageSubject& page) {
  return page.header->data.mode == Mode::ascii ? plan_text_page(page) : plan_binary_page(page);
}

std::vector<OrderedArray> arrays_in_order(const Header& header, const StepDescription& step) {
  const std::vector<FieldArray> arrays = field_arrays(step);
  std::vector<OrderedArray> ordered;
  for (const ArrayDefinition& definition : header.arrays) {
    if (is_attribute_array(definition)) continue;
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const FieldArray& array) { return array.name == definition.name; });
    if (found == arrays.end()) throw Error(ErrorKind::internal, "a step was not accepted").on(definition.name);
    ordered.push_back({*found, static_cast<std::size_t>(found - arrays.begin())});
  }
  return ordered;
}

std::uint64_t elements_of(const Field& field) {
  return std::find(field.extents.begin(), field.extents.end(), 0) != field.extents.end() ? 0 : volume(field.extents);
}

bool is_empty(const Box& box) {
  return box.count.empty() || std::find(box.count.begin(), box.count.end(), 0) != box.count.end();
}

}  // namespace quire::sdds
