#include "format/nektar/streams/planner.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "format/nektar/streams/stream.hpp"
#include "format/sion/physical_file.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

enum Slot : std::size_t { tasks, body, metadata, slots };

constexpr std::uint64_t number_bytes = sizeof(std::int64_t);

std::vector<std::byte> number(std::uint64_t value) {
  const auto one = static_cast<std::int64_t>(value);
  return sion::print_numbers(std::span(&one, 1), native_order);
}

/// The blocks of which this rank has elements.
std::vector<BlockPair> own_blocks(const StepDescription& step) {
  std::vector<BlockPair> own = blocks_of(step);
  std::erase_if(own, [&](const BlockPair& block) { return step.tables[block.elements].rows == 0; });
  return own;
}

std::uint64_t body_bytes(const StepDescription& step) {
  const std::vector<BlockPair> blocks = own_blocks(step);
  std::uint64_t bytes = stream_opening(blocks.size()).size();
  for (const BlockPair& block : blocks) {
    bytes = checked_add(bytes, block_bytes(step.tables[block.values], step.tables[block.elements].rows));
  }
  return bytes;
}

/// The offsets in a container of streams without padding.
struct Layout {
  Layout(std::uint64_t streams, std::uint64_t all_bytes)
      : arrays(sion::arrays_at(sion::newest_version)),
        end_of_header(sion::blocks_at(sion::newest_version, streams)),
        data(sion::header_bytes(streams)),
        second(checked_add(data, all_bytes)),
        end(checked_add(second, checked_multiply(2 * number_bytes, streams))) {}
  std::uint64_t arrays;
  std::uint64_t end_of_header;
  std::uint64_t data;
  std::uint64_t second;
  std::uint64_t end;
};

/// Collects the runs and headers of one rank's stream, starting at its beginning.
class StreamPlacing {
 public:
  StreamPlacing(Placement& placement, std::uint64_t begin) : placement_(placement), next_(begin) {}

  void add(std::vector<std::byte> bytes) {
    const std::uint64_t length = bytes.size();
    placement_.title.add(next_, std::move(bytes));
    next_ += length;
  }
  void add_run(std::size_t table, std::uint64_t records, std::vector<Cell> cells) {
    Run run;
    run.offset = next_;
    run.records = records;
    run.order = ByteOrder::little;
    for (const Cell& cell : cells) run.record_bytes += size_of(cell.type);
    run.bytes = checked_multiply(records, run.record_bytes);
    run.cells = std::move(cells);
    next_ = checked_add(next_, run.bytes);
    placement_.tables[table].push_back(std::move(run));
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return next_; }
  void add_count(std::uint64_t count) {
    std::vector<std::byte> bytes(sizeof count);
    store(bytes.data(), count, ByteOrder::little);
    add(std::move(bytes));
  }
  void add_block(const StepDescription& step, const BlockPair& block) {
    const Table& values = step.tables[block.values];
    const std::uint64_t elements = step.tables[block.elements].rows;
    add(block_opening(values, elements));
    if (values.expansion->is_mixed()) {
      std::vector<Cell> cells;
      for (std::size_t d = 0; d < values.expansion->basis.size(); ++d) {
        cells.push_back({.column = d + 1, .type = Type::uint32});
      }
      add_run(block.elements, elements, std::move(cells));
    }
    add_count(elements);
    add_run(block.elements, elements, {{.column = 0, .type = Type::uint32}});
    add_count(checked_multiply(values.rows, values.columns.size()));
    for (std::size_t c = 0; c < values.columns.size(); ++c) {
      add_run(block.values, values.rows, {{.column = c, .type = Type::float64}});
    }
  }

 private:
  Placement& placement_;
  std::uint64_t next_;
};

}  // namespace

Measure StreamPlanner::measure(const StepPart& mine, bool root) const {
  for (const BlockPair& block : blocks_of(mine.description)) check_block(mine, block);
  Measure measure(slots, 0);
  measure[tasks] = 1;
  measure[body] = body_bytes(mine.description);
  if (root) measure[metadata] = stream_metadata(metadata_of(mine.description)).size();
  return measure;
}

sion::Header StreamPlanner::header_of(std::uint64_t streams) {
  if (streams > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorKind::unsupported, "a multifile has fewer than 2^31 streams");
  }
  sion::Header header;
  header.order = native_order;
  header.data_order = ByteOrder::little;
  header.block_size = 1;
  header.tasks = static_cast<std::int32_t>(streams);
  return header;
}

Placement StreamPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool root) const {
  const StepDescription& step = mine.description;
  const Layout layout(total[tasks], checked_add(total[body], total[metadata]));
  const std::uint64_t rank = before[tasks];
  Placement placement;
  placement.tables.resize(step.tables.size());
  placement.end = layout.end;
  if (root) {
    // The root writes what it can for all ranks: each small write takes a turn with the file.
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(total[tasks]));
    std::iota(numbers.begin(), numbers.end(), 0);
    placement.title.add(0, sion::print_header(header_of(total[tasks])));
    placement.title.add(layout.arrays, sion::print_numbers<std::int64_t>(numbers, native_order));
    std::ranges::fill(numbers, 1);
    placement.title.add(layout.second, sion::print_numbers<std::int64_t>(numbers, native_order));
  }
  // The metadata of rank 0 shift the streams of all other ranks.
  const std::uint64_t begin = layout.data + before[body] + (root ? 0 : total[metadata]);
  StreamPlacing stream(placement, begin);
  const std::vector<BlockPair> blocks = own_blocks(step);
  stream.add(stream_opening(blocks.size()));
  for (const BlockPair& block : blocks) stream.add_block(step, block);
  if (root) stream.add(stream_metadata(metadata_of(step)));
  const std::uint64_t bytes = stream.end() - begin;
  placement.title.add(layout.arrays + (total[tasks] + rank) * number_bytes, number(bytes));
  placement.title.add(layout.second + (total[tasks] + rank) * number_bytes, number(bytes));
  return placement;
}

Publication StreamPlanner::publish(const StepPart& /*mine*/, const Measure& total) {
  const Layout layout(total[tasks], checked_add(total[body], total[metadata]));
  const std::int32_t blocks = 1;
  // Without the last number no program accepts the file as complete.
  return {PublishWrite{layout.end_of_header, sion::print_numbers(std::span(&blocks, 1), native_order)}, PublishSync{},
          PublishWrite{layout.end_of_header + sizeof blocks, number(layout.second)}};
}

void StreamPlanner::advance(const StepPart& /*mine*/, const Measure& total, bool published) {
  is_written_ = is_written_ || published;
  if (published) published_end_ = Layout(total[tasks], checked_add(total[body], total[metadata])).end;
}

Publication StreamPlanner::finish() {
  if (published_end_ != 0) return {};
  StepPart empty;
  empty.description = nothing();
  const Measure total = measure(empty, true);
  Publication acts;
  const Placement placement = place(empty, Measure(slots, 0), total, true);
  for (const WriteExtent& extent : placement.title.extents) {
    const auto* first = std::get<const std::byte*>(extent.source);
    acts.emplace_back(PublishWrite{extent.offset, {first, first + extent.length}});
  }
  Publication last = publish(empty, total);
  acts.insert(acts.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  return acts;
}

}  // namespace quire::nektar
