#include "format/sion/examine.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "format/sion/format.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "support/examined_bytes.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t budget = 1 << 20;

void look_at_streams(Describer& describer, const StepLayout& step, std::uint64_t size) {
  for (std::uint64_t i = 0; i < step.description.streams; ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const auto streams = describer.capabilities().streams->streams(0, StreamsBy::index, std::span(&place, 1));
    for (const Extent& chunk : streams.at(0).chunks) {
      if (chunk.length == 0) throw std::logic_error("an empty chunk");
      if (chunk.offset > size || chunk.length > size - chunk.offset) throw std::logic_error("a chunk beyond the file");
    }
  }
  for (const char* column : {"tasks/rank", "tasks/chunk_size", "tasks/chunks", "tasks/bytes", "tasks/file"}) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(step.description.streams));
    describer.capabilities().opaque->read_opaque(0, column, 0, {0, values.size()}, View(values));
  }
}

template <class Look>
void guarded(Look&& look) {
  try {
    look();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw std::logic_error(error.what());
  }
}

}  // namespace

void examine(std::span<const std::byte> bytes) {
  for (const Options& options :
       {Options{}, Options{{"lenient", "true"}, {"merged", "true"}}, Options{{"cut", "true"}}}) {
    const DescribeContext context{.path = "fuzzed.sion", .memory_budget = budget, .neighbour = {}};
    guarded([&] {
      const Format& format = sion_format();
      const auto describer = format.describe(std::make_shared<ExaminedBytes>(bytes), context,
                                             CheckedOptions(format.read_options, options));
      guarded([&] {
        if (const auto step = describer->step(0)) look_at_streams(*describer, *step, bytes.size());
      });
      guarded([&] { static_cast<void>(verified_step(*describer, 0)); });
      guarded([&] {
        if (const auto step = salvaged_step(*describer, 0)) look_at_streams(*describer, *step, bytes.size());
      });
    });
  }
}

}  // namespace quire::test
