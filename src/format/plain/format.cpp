#include "format/plain/format.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/image/live_describer.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/hdf5/planning/planner.hpp"
#include "format/plain/describer.hpp"
#include "format/plain/layout.hpp"

namespace quire {
namespace {

std::vector<Option> reading_options() {
  return {
      {"columns", OptionKind::text, "", {}, "comma-separated paths of two-dimensional datasets that are tables"},
      {"matrices", OptionKind::text, "fields", {"fields", "columns"}, "how other two-dimensional datasets are read"},
      {"cut", OptionKind::truth, "false", {}, "read the datasets of a truncated file that are whole"},
      hdf5::unwritten_option(),
      chunk_cache_option(),
  };
}

std::vector<Option> writing_options() {
  std::vector<Option> all = hdf5::with_split(hdf5::with_alignment({
      {"layout",
       OptionKind::text,
       "columns",
       {"columns", "matrix"},
       "a table has one dataset for each column, or one for all"},
      {"dataset", OptionKind::text, "table", {}, "the name of the matrix of a table without a name"},
      {"grow", OptionKind::truth, "false", {}, "further commits of the step add rows and elements to chunked datasets"},
  }));
  std::ranges::copy(hdf5::chunking_options(), std::back_inserter(all));
  return hdf5::with_library_version(std::move(all));
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  return std::make_unique<hdf5::LiveDescriber>(
      std::move(bytes), context, [context, options](std::shared_ptr<ByteSource> still) {
        return std::make_unique<hdf5::PlainDescriber>(std::move(still), context, options);
      });
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  return std::make_unique<hdf5::Hdf5Planner>(options, std::make_unique<hdf5::PlainLayout>(options));
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& options) {
  const auto rules = hdf5::PlainLayout::rules_of(options);
  return fit_without_expansions(step,
                                [&](const StepDescription& plain) { return hdf5::fit_plain(file, plain, rules); });
}

}  // namespace

const Format& plain_format() {
  static const Format format{
      .name = "hdf5",
      .title = "any HDF5 datasets",
      .suffixes = {".hdf5", ".hdf"},
      .shared_suffixes = {".h5"},
      .holds_one_step = true,
      .read_options = reading_options(),
      .tolerant_options = {{"cut", "true"}},
      .write_options = writing_options(),
      .writing_variants = {{},
                           {{"layout", "matrix"}},
                           {{"chunk", "7"}, {"field_chunk", "3"}},
                           {{"layout", "matrix"}, {"chunk", "5"}, {"filter", "zstd"}}},
      .recognises = [](std::span<const std::byte> head, std::uint64_t /*size*/) { return hdf5::has_signature(head); },
      .describe = describe,
      .plan_writing = plan_writing,
      .fit = fit,
      .makes_set = [](const CheckedOptions& options) { return options.truth("split"); },
  };
  return format;
}

}  // namespace quire
