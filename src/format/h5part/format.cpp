#include "format/h5part/format.hpp"

#include <algorithm>
#include <iterator>

#include "format/chunk_cache_option.hpp"
#include "format/h5part/acceptance.hpp"
#include "format/h5part/describer.hpp"
#include "format/h5part/layout.hpp"
#include "format/h5part/mesh_layout.hpp"
#include "format/h5part/mesh_tables.hpp"
#include "format/h5part/recognition.hpp"
#include "format/hdf5/image/live_describer.hpp"
#include "format/hdf5/image/split.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/hdf5/planning/placing.hpp"
#include "format/hdf5/planning/planner.hpp"

namespace quire {
namespace {

std::vector<Option> reading_options() {
  return {
      {"step_name", OptionKind::text, "", {}, "the name of the groups of steps before the #; empty: guessed"},
      {"strict", OptionKind::truth, "false", {}, "refuse steps whose columns differ in length"},
      {"cut", OptionKind::truth, "false", {}, "read the complete steps of a truncated file"},
      {"meshes", OptionKind::truth, "false", {}, "read the meshes of a file that also has steps"},
      hdf5::unwritten_option(),
      chunk_cache_option(),
  };
}

std::vector<Option> writing_options() {
  std::vector<Option> all = hdf5::with_split(hdf5::with_alignment({
      {"step_name", OptionKind::text, "Step", {}, "the name of the groups of steps before the #"},
      {"step_width", OptionKind::integer, "1", {}, "least characters of a step's number, zero padded"},
      {"existing", OptionKind::text, "refuse", {}, "a step whose number exists: refuse, replace, add or overwrite"},
      {"grow", OptionKind::truth, "false", {}, "a step with the number of the last one adds rows to it; needs chunks"},
      {"meshes", OptionKind::truth, "false", {}, "the tables are unstructured meshes, which belong to no step"},
  }));
  std::ranges::copy(hdf5::chunking_options(), std::back_inserter(all));
  return hdf5::with_library_version(std::move(all));
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  return std::make_unique<hdf5::LiveDescriber>(
      std::move(bytes), context, [context, options](std::shared_ptr<ByteSource> still) {
        return std::make_unique<hdf5::H5partDescriber>(std::move(still), context, options);
      });
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  std::unique_ptr<hdf5::Layout> layout;
  if (options.truth("meshes")) {
    layout = std::make_unique<hdf5::MeshLayout>(options);
  } else {
    layout = std::make_unique<hdf5::H5partLayout>(options);
  }
  return std::make_unique<hdf5::Hdf5Planner>(options, std::move(layout));
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& options) {
  if (options.truth("meshes")) return fit_without_expansions(step, hdf5::fit_meshes);
  return fit_without_expansions(step, [&](const StepDescription& plain) { return hdf5::fit_h5part(file, plain); });
}

std::vector<std::string> named_members(ByteSource& bytes, const std::string& first) {
  const auto raw = hdf5::named_raw_file(bytes, first);
  return raw ? std::vector{*raw} : std::vector<std::string>();
}

}  // namespace

const Format& h5part_format() {
  static const Format format{
      .name = "h5part",
      .title = "H5Part particles on HDF5",
      .suffixes = {".h5", ".h5part", ".h5p", ".h5hut"},
      .shared_suffixes = {".hdf5", ".hdf"},
      .finds_steps_alone = true,
      .holds_attachments = true,
      .read_options = reading_options(),
      .tolerant_options = {{"cut", "true"}},
      .write_options = writing_options(),
      // With these chunk sizes, chunks end inside the rows of each rank in all tests, with and without filters.
      .writing_variants = {{},
                           {{"chunk", "7"}, {"field_chunk", "3"}},
                           {{"chunk", "5"}, {"filter", "deflate"}},
                           {{"chunk", "5"}, {"filter", "deflate"}, {"library_version", "v110"}}},
      .recognises = [](std::span<const std::byte> head, std::uint64_t /*size*/) { return hdf5::has_signature(head); },
      .describe = describe,
      .plan_writing = plan_writing,
      .fit = fit,
      .owns = hdf5::holds_steps_or_nothing,
      .makes_set = [](const CheckedOptions& options) { return options.truth("split"); },
      .named_members = named_members,
  };
  return format;
}

}  // namespace quire
