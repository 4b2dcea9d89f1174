#include "format/h5/phdf5/values.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/format/records.hpp"
#include "quire/kernels/copy.hpp"

namespace quire::h5 {

ValueStream::ValueStream(const std::vector<Cell>& cells, std::span<const ConstView> views, bool lossy,
                         std::span<const std::string> names) {
  Run run;
  for (const Cell& cell : cells) run.record_bytes += size_of(cell.type);
  run.records = views.empty() ? 0 : views.front().count;
  run.bytes = checked_multiply(run.records, run.record_bytes);
  run.cells = cells;
  records_ = run.records;
  record_bytes_ = run.record_bytes;
  add_rows(plan_, run, 0, run.records, views, 0, lossy, names);
  coalesce(plan_);
}

const std::byte* ValueStream::ready() const noexcept {
  if (plan_.extents.size() != 1) return nullptr;
  const auto* memory = std::get_if<const std::byte*>(&plan_.extents.front().source);
  return memory == nullptr ? nullptr : *memory;
}

void ValueStream::next(std::span<std::byte> out) {
  while (!out.empty()) {
    if (extent_ == plan_.extents.size()) throw Error(ErrorKind::internal, "a stream of values ends early");
    const WriteExtent& extent = plan_.extents[extent_];
    auto length = static_cast<std::size_t>(std::min<std::uint64_t>(extent.length - position_, out.size()));
    if (const auto* memory = std::get_if<const std::byte*>(&extent.source)) {
      kernels::copy_bytes(out.data(), *memory + position_, length);
    } else {
      length = std::get<std::shared_ptr<Encoder>>(extent.source)->encode(position_, out.first(length));
      if (length == 0) throw Error(ErrorKind::internal, "an encoder returns no bytes");
    }
    out = out.subspan(length);
    position_ += length;
    if (position_ < extent.length) continue;
    position_ = 0;
    ++extent_;
  }
}

}  // namespace quire::h5
