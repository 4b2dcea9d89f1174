#include "format/openpmd/format.hpp"

#include <algorithm>
#include <iterator>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/image/live_describer.hpp"
#include "format/hdf5/image/split.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/hdf5/planning/planner.hpp"
#include "format/openpmd/acceptance.hpp"
#include "format/openpmd/defaults.hpp"
#include "format/openpmd/describer.hpp"
#include "format/openpmd/foreign.hpp"
#include "format/openpmd/layout.hpp"
#include "format/openpmd/series.hpp"

namespace quire {
namespace {

std::vector<Option> reading_options() {
  return {
      {"series", OptionKind::truth, "true", {}, "all files of a series with one for each iteration are read as one"},
      {"patches", OptionKind::truth, "true", {}, "conditions on positions read only particle patches that can match"},
      hdf5::unwritten_option(),
      chunk_cache_option()};
}

std::vector<Option> writing_options() {
  std::vector<Option> all = hdf5::with_split(hdf5::with_alignment({
      {"species", OptionKind::text, hdf5::default_species, {}, "the name of the species of a table without a name"},
      {"iteration_format",
       OptionKind::text,
       "",
       {},
       "the names of the files of a series, each with one step: diag_%06T"},
      {"patches", OptionKind::truth, "false", {}, "record the particles of each rank as a particle patch"},
  }));
  std::ranges::copy(hdf5::chunking_options(), std::back_inserter(all));
  return hdf5::with_library_version(std::move(all));
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  refuse_foreign_openpmd(*bytes, context.path);
  const auto make = [context, options](std::shared_ptr<ByteSource> still) -> std::unique_ptr<Describer> {
    auto alone = std::make_unique<hdf5::OpenpmdDescriber>(std::move(still), context, options);
    if (!options.truth("series")) return alone;
    return hdf5::SeriesDescriber::around(std::move(alone), context, options);
  };
  return std::make_unique<hdf5::LiveDescriber>(std::move(bytes), context, make);
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  return std::make_unique<hdf5::Hdf5Planner>(options, std::make_unique<hdf5::OpenpmdLayout>(options));
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& options) {
  const std::string species = hdf5::OpenpmdLayout::species_of(options);
  return fit_without_expansions(step,
                                [&](const StepDescription& plain) { return hdf5::fit_openpmd(file, plain, species); });
}

bool recognises(std::span<const std::byte> head, std::uint64_t /*size*/) {
  return hdf5::has_signature(head) || is_foreign_openpmd(head);
}

/// Whether the root states the version of the standard that the file follows.
bool follows_standard(const std::shared_ptr<ByteSource>& bytes) {
  if (is_foreign_openpmd(foreign_head(*bytes))) return true;
  const auto has_version = [](hdf5::OpenFile& file) {
    return hdf5::has_attribute(file.image(), file.id(), hdf5::marks::openpmd);
  };
  return hdf5::holds(bytes, has_version).value_or(false);
}

std::vector<std::string> named_members(ByteSource& bytes, const std::string& first) {
  const auto raw = hdf5::named_raw_file(bytes, first);
  return raw ? std::vector{*raw} : std::vector<std::string>();
}

std::string first_of_pattern(const std::string& pattern, std::span<const std::string> names) {
  const auto parsed = hdf5::NamePattern::of(pattern);
  return parsed ? parsed->first_of(names) : std::string();
}

std::optional<SeriesFile> series_file(const std::string& pattern, std::int64_t number) {
  const auto parsed = hdf5::NamePattern::of(pattern);
  if (!parsed) return std::nullopt;
  // The names that the file states have no ending (openPMD 1.1.0, iterationFormat).
  const std::size_t dot = pattern.rfind('.');
  const bool has_ending = dot != std::string::npos && dot > pattern.rfind('T');
  return SeriesFile{parsed->name_of(number), {{"iteration_format", has_ending ? pattern.substr(0, dot) : pattern}}};
}

}  // namespace

const Format& openpmd_format() {
  static const Format format{
      .name = "openpmd",
      .title = "openPMD particles and meshes on HDF5",
      .suffixes = {".openpmd"},
      .shared_suffixes = {".h5", ".hdf5", ".hdf"},
      .finds_steps_alone = true,
      .holds_constants = true,
      .read_options = reading_options(),
      .write_options = writing_options(),
      .writing_variants = {{}, {{"chunk", "7"}, {"field_chunk", "3"}}, {{"chunk", "5"}, {"filter", "deflate"}}},
      .recognises = recognises,
      .describe = describe,
      .plan_writing = plan_writing,
      .fit = fit,
      .owns = follows_standard,
      .entry_of = adios_index,
      .first_of_pattern = first_of_pattern,
      .series_file = series_file,
      .makes_set = [](const CheckedOptions& options) { return options.truth("split"); },
      .named_members = named_members,
  };
  return format;
}

}  // namespace quire
