#include "api/write/converted_values.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "format/records.hpp"

namespace quire {

std::span<const std::byte> converted_values(const ConstView& values, const Column& column, std::uint64_t first,
                                            std::uint64_t total, bool lossy, std::vector<std::byte>& scratch) {
  const std::uint64_t width = bytes_of(column);
  const auto bytes = static_cast<std::size_t>(values.count * width);
  if (values.data != nullptr && values.type == column.type && values.is_contiguous()) return {values.data, bytes};
  Run run;
  run.record_bytes = width;
  run.records = total;
  run.bytes = run.records * width;
  run.cells = {Cell{.column = 0, .type = column.type, .text_bytes = column.text_bytes}};
  WritePlan plan;
  add_rows(plan, run, first, values.count, std::span(&values, 1), 0, lossy, std::span(&column.name, 1));
  scratch.resize(bytes);
  for (const WriteExtent& extent : plan.extents) {
    const auto target = std::span(scratch).subspan(static_cast<std::size_t>(extent.offset - first * width));
    if (const auto* ready = std::get_if<const std::byte*>(&extent.source)) {
      std::copy_n(*ready, extent.length, target.begin());
      continue;
    }
    const auto& encoder = std::get<std::shared_ptr<Encoder>>(extent.source);
    for (std::size_t done = 0; done < extent.length;) {
      done += encoder->encode(done, target.subspan(done, static_cast<std::size_t>(extent.length) - done));
    }
  }
  return scratch;
}

}  // namespace quire
