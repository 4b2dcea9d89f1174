// Files that are mostly valid: valid files must be read exactly and keep their content when written in other layouts;
// damaged files must be refused or read without harm. Built as a fuzzer with QUIRE_FUZZ, and run over
// tests/data/generated and over random choices by generated_test.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "format/sdds/examine.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/generated_file.hpp"
#include "format/sdds/memory_writer.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "support/memory_source.hpp"

namespace quire::test {
namespace {

struct Content {
  FileDescription file;
  std::vector<LoadedStep> steps;
};

void demand(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

/// The content of a valid file.
Content content_of(const std::string& bytes) {
  DescribeContext context;
  context.memory_budget = 16 << 20;
  const auto describer = sdds_format().describe(std::make_shared<MemorySource>(bytes), context,
                                                CheckedOptions(sdds_format().read_options, {{"strict", "true"}}));
  Content content{describer->file(), {}};
  const std::uint64_t steps = describer->steps();
  for (std::uint64_t index = 0; index < steps; ++index) {
    demand(verified_step(*describer, index).has_value(), "a step is not whole");
    content.steps.push_back(load(*describer->step(index), bytes));
  }
  demand(!describer->step(steps), "a step after the last one");
  return content;
}

void expect_same(const Content& found, const Content& expected) {
  demand(pack(found.file.attributes) == pack(expected.file.attributes), "attributes of the file");
  demand(found.steps.size() == expected.steps.size(), "another number of steps");
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const LoadedStep& step = found.steps[i];
    const LoadedStep& other = expected.steps[i];
    demand(pack(step.description.attributes) == pack(other.description.attributes), "attributes");
    demand(step.description.tables == other.description.tables, "tables");
    demand(step.description.fields == other.description.fields, "fields");
    demand(step.numbers == other.numbers, "numbers");
    for (std::size_t k = 0; k < step.strings.size(); ++k) {
      demand(step.strings[k].bytes == other.strings[k].bytes, "strings");
      demand(step.strings[k].offsets == other.strings[k].offsets, "lengths of strings");
    }
  }
}

std::string written(const Content& content, int ranks, Options options) {
  options["step_parameter"] = "false";
  MemoryWriter writer(sdds_format(), ranks, options);
  writer.set_file(content.file);
  for (const LoadedStep& step : content.steps) {
    std::vector<StepPart> parts;
    for (int rank = 0; rank < ranks; ++rank) parts.push_back(part_of(step, rank, ranks));
    writer.write(std::move(parts));
  }
  return writer.finish();
}

void round_trip(const GeneratedFile& file) {
  const Content content = content_of(file.bytes);
  demand(content.steps.size() == file.rows.size(), "another number of pages than were made");
  for (std::size_t i = 0; i < content.steps.size(); ++i) {
    const auto& tables = content.steps[i].description.tables;
    demand((tables.empty() ? 0 : tables.front().rows) == file.rows[i], "another number of rows than were made");
  }
  // Text stores no payload of NaN, and no zero bytes.
  std::vector<Options> layouts{{{"byte_order", "big"}}, {{"major_order", "column"}}};
  if (file.is_text) {
    layouts.push_back({{"mode", "ascii"}});
    layouts.push_back({{"mode", "ascii"}, {"lines_per_row", "0"}});
  }
  // A file without pages has only the definitions of all pages.
  if (content.steps.empty()) return;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    expect_same(content_of(written(content, 1 + static_cast<int>(i % 3), layouts[i])), content);
  }
}

}  // namespace
}  // namespace quire::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const quire::test::GeneratedFile file = quire::test::generate_file({data, size});
  if (file.is_valid) quire::test::round_trip(file);
  quire::test::examine(std::as_bytes(std::span(file.bytes)));
  quire::test::examine(std::as_bytes(std::span(file.damaged)));
  return 0;
}
