#include "format/h5/phdf5/settings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/h5/phdf5/engine.hpp"
#include "quire/base/error.hpp"

namespace quire::h5 {
namespace {

const std::vector<Option>& knobs() {
  static const std::vector<Option> options{
      {"transfer",
       OptionKind::text,
       "independent",
       {},
       "phdf5: independent or collective writes of the parts of a step"},
      {"collective_metadata", OptionKind::truth, "true", {}, "phdf5: write metadata collectively"},
      {"metadata_block", OptionKind::integer, "2048", {}, "phdf5: size of metadata blocks in bytes"},
      {"hints", OptionKind::text, "", {}, "phdf5: hints for MPI-IO, as name=value,name=value"},
  };
  return options;
}

const std::vector<Option>& read_knobs() {
  static const std::vector<Option> options{
      {"transfer",
       OptionKind::text,
       "independent",
       {},
       "phdf5: independent reads, or collective reads of the same columns and fields"},
      {"collective_metadata",
       OptionKind::truth,
       "true",
       {},
       "phdf5, collective: one rank reads the metadata of HDF5 and broadcasts them"},
      {"hints", OptionKind::text, "", {}, "phdf5: hints for MPI-IO, as name=value,name=value"},
  };
  return options;
}

Error usage(const std::string& text, std::string_view option) {
  return Error(ErrorKind::usage, text).on(std::string(option));
}

std::vector<std::pair<std::string, std::string>> parsed_hints(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> hints;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string hint = text.substr(at, end - at);
    const std::size_t equals = hint.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage("\"" + hint + "\" is not a hint", "hints").advise("write name=value,name=value");
    }
    hints.emplace_back(hint.substr(0, equals), hint.substr(equals + 1));
    at = end + 1;
  }
  return hints;
}

/// Whether the options choose the engine. Throws errors for options of an engine that is not chosen or not available.
bool chooses_phdf5(const CheckedOptions& options, const std::vector<Option>& knobs) {
  const bool is_chosen = has_phdf5() && options.text("engine") == "phdf5";
  if (is_chosen) return true;
  for (const Option& option : knobs) {
    if (!options.given(option.name)) continue;
    if (has_phdf5()) throw usage("only the engine phdf5 has this option", option.name).advise("engine=phdf5");
    throw Error(ErrorKind::unsupported, "the engine phdf5, which has this option, is not available in this build")
        .on(std::string(option.name))
        .advise("omit it, or use a build with MPI and parallel HDF5");
  }
  return false;
}

/// Whether transfers are collective.
bool is_collective_transfer(const CheckedOptions& options) {
  const std::string transfer = options.text("transfer");
  if (transfer == "collective") return true;
  if (transfer == "independent") return false;
  throw usage("the transfer cannot be \"" + transfer + "\"", "transfer").advise("give independent or collective");
}

/// Throws usage errors for options that the engine phdf5 does not have.
void refuse_others(const CheckedOptions& options, const std::vector<std::string_view>& only_direct) {
  for (const std::string_view name : only_direct) {
    if (options.given(name)) throw usage("the engine phdf5 does not have this option", name).advise("engine=direct");
  }
}

/// A table of options, followed by those of the engine and its settings.
std::vector<Option> with_knobs(std::vector<Option> options, const std::vector<Option>& knobs) {
  Option engine{"engine",
                OptionKind::text,
                "direct",
                {"direct"},
                "the engine that transfers steps: direct is Quire's own; phdf5 is not available in this build"};
  if (has_phdf5()) {
    engine.choices.emplace_back("phdf5");
    engine.help = "the engine that transfers steps: direct is Quire's own, phdf5 the parallel HDF5 library";
  }
  options.push_back(engine);
  std::ranges::copy(knobs, std::back_inserter(options));
  return options;
}

}  // namespace

EngineSettings EngineSettings::of(const CheckedOptions& options, const std::vector<std::string_view>& only_direct) {
  EngineSettings settings;
  settings.alignment = Alignment::of(options);
  const std::string version = options.text("library_version");
  if (version == "v18") settings.version = LibraryVersion::v18;
  if (version == "v110") settings.version = LibraryVersion::v110;
  settings.is_phdf5 = chooses_phdf5(options, knobs());
  if (!settings.is_phdf5) return settings;
  refuse_others(options, only_direct);
  settings.is_collective = is_collective_transfer(options);
  if (!settings.is_collective && options.text("filter") != "none") {
    throw usage("parallel HDF5 compresses only collective writes", "filter")
        .advise("transfer=collective, or engine=direct");
  }
  settings.is_filtered = options.text("filter") != "none";
  settings.collective_metadata = options.truth("collective_metadata");
  const long long block = options.integer("metadata_block");
  constexpr long long largest = 1LL << 30;
  if (block < 0 || block > largest) throw usage("the size must be 0 to 1 GiB", "metadata_block");
  settings.metadata_block = static_cast<std::uint64_t>(block);
  settings.hints = parsed_hints(options.text("hints"));
  return settings;
}

void EngineSettings::check_filters(const std::vector<Filter>& filters, const std::string& object) const {
  if (!is_phdf5 || is_collective || filters.empty()) return;
  throw Error(ErrorKind::unsupported,
              "its chunks are compressed, which parallel HDF5 supports only for collective writes")
      .on(object)
      .advise("transfer=collective, or engine=direct");
}

EngineSettings EngineSettings::of_reading(const CheckedOptions& options) {
  EngineSettings settings;
  settings.is_phdf5 = chooses_phdf5(options, read_knobs());
  if (!settings.is_phdf5) return settings;
  refuse_others(options, {chunk_cache_option().name});
  settings.is_collective = is_collective_transfer(options);
  if (!settings.is_collective && options.given("collective_metadata")) {
    throw usage("independent reads read metadata independently", "collective_metadata").advise("transfer=collective");
  }
  settings.collective_metadata = settings.is_collective && options.truth("collective_metadata");
  settings.hints = parsed_hints(options.text("hints"));
  return settings;
}

std::vector<Option> with_engine(std::vector<Option> options) {
  options.push_back({"library_version",
                     OptionKind::text,
                     "earliest",
                     {"earliest", "v18", "v110"},
                     "the HDF5 release whose structures a new file may have; older releases cannot read them"});
  return with_knobs(std::move(options), knobs());
}

std::vector<Option> with_read_engine(std::vector<Option> options) {
  options.push_back(chunk_cache_option());
  return with_knobs(std::move(options), read_knobs());
}

}  // namespace quire::h5
