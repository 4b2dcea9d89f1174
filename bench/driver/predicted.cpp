#include "driver/predicted.hpp"

#include <algorithm>
#include <map>

#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/api/simulation.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::bench {
namespace {

/// The sizes of the files, from everything that is written to them.
class Sizes final : public PlanSink {
 public:
  void add(int /*rank*/, std::span<const ExtentTrain> trains) override {
    for (const ExtentTrain& train : trains) {
      if (train.count > 0) write(train.offset, (train.count - 1) * train.step + train.length);
    }
  }
  /// An extent without length sets the size.
  void add(const std::vector<Extent>& extents) {
    for (const Extent& extent : extents) {
      if (extent.length > 0) {
        write(extent.offset, extent.length);
      } else {
        sizes_[member_of(extent.offset)] = offset_in(extent.offset);
      }
    }
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (const auto& [member, size] : sizes_) sum += size;
    return sum;
  }

 private:
  void write(std::uint64_t offset, std::uint64_t length) {
    std::uint64_t& size = sizes_[member_of(offset)];
    size = std::max(size, offset_in(offset) + length);
  }
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

ConstView without_memory(const Share& share, std::size_t quantity) {
  const Type type = share.types[quantity];
  return {type, nullptr, share.items, static_cast<std::ptrdiff_t>(size_of(type))};
}

StepPart part_of(const Case& data, Carrier carrier, std::int64_t number, int rank, int ranks) {
  const Share share = Share::of(data, rank, ranks);
  StepPart part;
  part.description = describe_case(data, carrier);
  part.description.number = number;
  if (carrier == Carrier::table) {
    part.description.tables.front().rows = share.items;
    part.tables.emplace_back();
    for (std::size_t q = 0; q < share.quantities(); ++q) part.tables.back().push_back(without_memory(share, q));
    part.string_bytes.emplace_back(share.quantities(), 0);
  }
  for (std::size_t f = 0; f < part.description.fields.size(); ++f) {
    FieldPart field{share.selection, {}, {}};
    for (std::size_t c = 0; c < data.components; ++c) {
      field.views.push_back(without_memory(share, f * data.components + c));
    }
    part.fields.push_back(std::move(field));
  }
  return part;
}

/// Whether a file's size is known without values, and all its bytes pass through plans.
bool is_plain(const Format& format, const WriteOptions& options) {
  Options known;
  for (const auto& [name, value] : options.options) {
    if (std::ranges::find(format.write_options, name, &Option::name) == format.write_options.end()) return false;
    known[name] = value;
  }
  const auto planner = format.plan_writing(CheckedOptions(format.write_options, known));
  const PlannerCapabilities can = planner->capabilities();
  return can.weigher == nullptr && !can.encodes_together();
}

}  // namespace

std::optional<std::uint64_t> predicted_size(const Case& data, int ranks, Carrier carrier, const WriteOptions& options) {
  const Format& format = format_named(options.format);
  if (carrier == Carrier::expansion || !is_plain(format, options)) return std::nullopt;
  const std::uint64_t in_a_file = format.holds_one_step ? 1 : data.steps;
  Sizes sizes;
  WriteSimulation simulation({}, ranks, options);
  for (std::uint64_t s = 0; s < in_a_file; ++s) {
    const auto part = [&](int rank) { return part_of(data, carrier, static_cast<std::int64_t>(s), rank, ranks); };
    const auto streams = [&](int rank) -> std::vector<SimulatedStream> {
      return {{{.rank = rank}, {{SimulatedPiece::Kind::together, bytes_of_rank(data, rank, ranks)}}}};
    };
    const StepFrame frame =
        carrier == Carrier::streams ? simulation.next(streams, "data", sizes) : simulation.next(part, sizes);
    sizes.add(frame.guard);
    sizes.add(frame.publication);
  }
  return sizes.sum() * (data.steps / in_a_file);
}

}  // namespace quire::bench
