#include "format/sdds/format.hpp"

#include <limits>
#include <string>

#include "format/option_use.hpp"
#include "format/sdds/describer.hpp"
#include "format/sdds/fit.hpp"
#include "format/sdds/planner.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace sdds {
namespace {

constexpr long long largest_growth = 1'000'000'000;

[[nodiscard]] std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<Option> reading_options() {
  return {
      {"strict", OptionKind::truth, "false", {}, "raise errors for defects that can be tolerated, instead of warnings"},
      {"any_names", OptionKind::truth, "false", {}, "accept names with characters that the format forbids"},
      {"unescape_quotes", OptionKind::truth, "false", {}, "read \\\" in texts of the header as \""},
      {"no_row_counts",
       OptionKind::truth,
       "false",
       {},
       "read text data without row counts, as some old programs write them"},
  };
}

std::vector<Option> writing_options() {
  return {
      {"byte_order", OptionKind::text, "native", {"native", "little", "big"}, "of all numbers in the data"},
      {"major_order",
       OptionKind::text,
       "row",
       {"row", "column"},
       "whether the values of a row or those of a column are contiguous"},
      {"mode", OptionKind::text, "binary", {"binary", "ascii"}, "of the data: numbers as they are, or text"},
      {"canonical",
       OptionKind::truth,
       "false",
       {},
       "write the bytes of the reference implementation; text then has 16 digits, too few to keep every number"},
      {"version", OptionKind::integer, "0", {}, "of the format, 1 to 5; 0: the lowest that holds the content"},
      {"lines_per_row", OptionKind::integer, "1", {}, "of text; 0: readers ignore line ends"},
      {"no_row_counts",
       OptionKind::truth,
       "false",
       {},
       "of text: empty lines end the rows of a page; other programs cannot recognize an unfinished page"},
      {"fixed_row_count",
       OptionKind::integer,
       "0",
       {},
       "let the last page grow: a step with its number adds rows; its row count is ahead by up to this many (usually "
       "500)"},
      {"step_parameter", OptionKind::truth, "true", {}, "store the numbers of the steps in the parameter Step"},
      {"step_type",
       OptionKind::text,
       "long",
       {"long", "long64"},
       "of the parameter Step: long, unless the first number needs more bits, or long64 (version 5 of the format)"},
  };
}

Mode mode_of(const CheckedOptions& options) { return options.text("mode") == "ascii" ? Mode::ascii : Mode::binary; }

/// Every layout of binary data, every kind of text.
std::vector<Options> variants() {
  std::vector<Options> all{{}};
  for (const char* order : {"little", "big"}) {
    for (const char* major : {"row", "column"}) all.push_back({{"byte_order", order}, {"major_order", major}});
  }
  all.push_back({{"mode", "ascii"}});
  all.push_back({{"mode", "ascii"}, {"canonical", "true"}});
  all.push_back({{"mode", "ascii"}, {"lines_per_row", "3"}});
  all.push_back({{"mode", "ascii"}, {"lines_per_row", "0"}, {"version", "5"}});
  all.push_back({{"mode", "ascii"}, {"no_row_counts", "true"}});
  return all;
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  HeaderOptions header;
  header.strict = options.truth("strict");
  header.any_names = options.truth("any_names");
  header.unescape_quotes = options.truth("unescape_quotes");
  header.no_row_counts = options.truth("no_row_counts");
  // Enough for 10^5 columns. Definitions need up to sixteen times the memory of their text: twice the budget.
  header.largest_header = context.memory_budget / 8;
  return std::make_unique<SddsDescriber>(std::move(bytes), context, header);
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  WriteLayout layout;
  const std::string order = options.text("byte_order");
  if (order != "native") layout.order = order == "big" ? ByteOrder::big : ByteOrder::little;
  layout.column_major = options.text("major_order") == "column";
  layout.step_parameter = options.truth("step_parameter");
  layout.wide_numbers = options.text("step_type") == "long64";
  layout.mode = mode_of(options);
  layout.canonical = options.truth("canonical");
  const long long version = options.integer("version");
  if (version < 0 || version > 5)
    throw Error(ErrorKind::usage, "option version is between 1 and 5; 0 is the lowest one");
  layout.version = static_cast<int>(version);
  layout.lines_per_row = options.integer("lines_per_row");
  layout.no_row_counts = options.truth("no_row_counts");
  const long long growth = options.integer("fixed_row_count");
  if (growth < 0 || growth > largest_growth) {
    throw Error(ErrorKind::usage, "option fixed_row_count is between 0 and 1000000000");
  }
  layout.growth_rows = static_cast<std::uint64_t>(growth);
  GivenLayout given{.order = options.given("byte_order") && order != "native",
                    .major = options.given("major_order"),
                    .mode = options.given("mode"),
                    .lines = options.given("lines_per_row"),
                    .counts = options.given("no_row_counts"),
                    .number_type = options.given("step_type"),
                    .useless = std::nullopt};
  given.useless = useless_option(options, sdds_format().write_options,
                                 {{"lines_per_row", "mode", {"ascii"}},
                                  {"no_row_counts", "mode", {"ascii"}},
                                  {"major_order", "mode", {"binary"}},
                                  {"byte_order", "mode", {"binary"}},
                                  {"step_type", "step_parameter", {"true"}}});
  return std::make_unique<SddsPlanner>(layout, std::move(given));
}

Options options_for_numbers(std::int64_t lowest, std::int64_t highest) {
  constexpr std::int64_t smallest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (lowest >= smallest && highest <= largest) return {};
  return {{"step_type", "long64"}};
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& options) {
  const Mode mode = mode_of(options);
  const bool is_canonical = options.truth("canonical");
  return fit_without_expansions(
      step, [&](const StepDescription& plain) { return fit_step(file, plain, mode, is_canonical); });
}

}  // namespace
}  // namespace sdds

const Format& sdds_format() {
  static const Format format{
      .name = "sdds",
      .title = "SDDS, self-describing data sets",
      .suffixes = {".sdds"},
      .holds_declarations = true,
      .read_options = sdds::reading_options(),
      .write_options = sdds::writing_options(),
      .writing_variants = sdds::variants(),
      .recognises = [](std::span<const std::byte> head,
                       std::uint64_t /*size*/) { return sdds::has_magic(sdds::text_of(head)); },
      .describe = sdds::describe,
      .plan_writing = sdds::plan_writing,
      .fit = sdds::fit,
      .options_for_numbers = sdds::options_for_numbers,
  };
  return format;
}

}  // namespace quire
