#include "format/nektar/format.hpp"

#include <algorithm>
#include <string_view>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/image/live_describer.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/nektar/acceptance.hpp"
#include "format/nektar/hdf5/describer.hpp"
#include "format/nektar/hdf5/planner.hpp"
#include "format/nektar/streams/describer.hpp"
#include "format/nektar/streams/planner.hpp"
#include "format/nektar/xml/describer.hpp"
#include "format/nektar/xml/part_names.hpp"
#include "format/nektar/xml/planner.hpp"
#include "format/option_use.hpp"
#include "format/sion/header.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

/// The container of a layout.
enum class Container : std::uint8_t { xml, hdf5, streams };

Container container_of(std::span<const std::byte> head) {
  if (sion::has_magic(head)) return Container::streams;
  return hdf5::has_signature(head) ? Container::hdf5 : Container::xml;
}

Container container_of(ByteSource& bytes) {
  constexpr std::size_t head_bytes = 4096;
  std::vector<std::byte> head(head_bytes);
  head.resize(bytes.read(0, head));
  return container_of(head);
}

nektar::Rules rules_of(const CheckedOptions& options) {
  return {options.text("version"), options.text("timestamp"), options.text("hostname"), options.text("layout")};
}

nektar::TextLimits limits_of(const CheckedOptions& options) {
  constexpr long long most = 0xFFFFFFFF;  // the reference counts bytes in 32 bits
  const long long largest = options.integer("largest_block");
  if (largest < 1 || largest > most) {
    throw Error(ErrorKind::usage, "the value must be from 1 to 4294967295 bytes").on("largest_block");
  }
  const long long kept = options.integer("kept_text");
  if (kept < 0) throw Error(ErrorKind::usage, "the value must not be negative").on("kept_text");
  return {static_cast<std::uint64_t>(largest), static_cast<std::uint64_t>(kept)};
}

/// Files that are not HDF5 have no chunks.
void refuse_chunk_cache(const CheckedOptions& options) {
  const std::string_view name = chunk_cache_option().name;
  if (!options.given(name)) return;
  throw Error(ErrorKind::usage, "the option applies to HDF5 files only").on(std::string(name)).advise("leave it out");
}

std::vector<Option> reading_options() {
  return {
      {"blocks",
       OptionKind::text,
       "joined",
       {"joined", "each"},
       "blocks of one kind as one table, or one table for each block that a rank wrote"},
      {"parts",
       OptionKind::text,
       "",
       {},
       "XML: all files of a set, separated by commas, starting with the one that is opened; set by default for a "
       "directory without an index"},
      chunk_cache_option(),
  };
}

std::vector<Option> writing_options() {
  return hdf5::with_alignment({
      {"layout",
       OptionKind::text,
       "hdf5",
       {"hdf5", "xml", "directory", "streams"},
       "one HDF5 file, one XML file, a directory with an XML file of each rank, or a multifile with a stream of each "
       "rank"},
      {"largest_block", OptionKind::integer, "8388608", {}, "XML: blocks of more bytes are split"},
      {"kept_text",
       OptionKind::integer,
       "33554432",
       {},
       "XML: bytes of compressed blocks that are kept until they are written; other blocks are compressed twice"},
      {"version", OptionKind::text, "5.6.0", {}, "the version of the program, if the metadata have none"},
      {"timestamp",
       OptionKind::text,
       "",
       {},
       "when the file was written, if the metadata have no time; now: the current time"},
      {"hostname",
       OptionKind::text,
       "",
       {},
       "where the file was written, if the metadata have no name; here: the name of this machine"},
  });
}

std::vector<Options> variants() {
  std::vector<Options> all{{}, {{"layout", "xml"}}, {{"layout", "directory"}}, {{"layout", "streams"}}};
  // Several blocks of a kind, none of which is kept in memory until it is written.
  for (const char* layout : {"xml", "directory"}) {
    all.push_back({{"layout", layout}, {"largest_block", "1000"}, {"kept_text", "0"}});
  }
  return all;
}

std::string entry_of(std::span<const std::string> names) {
  for (const std::string_view index : nektar::index_names) {
    if (std::ranges::find(names, index) != names.end()) return std::string(index);
  }
  const std::vector<std::string> files = nektar::part_names(names);
  return files.empty() ? std::string() : files.front();
}

Options entry_options(std::span<const std::string> names) {
  const std::vector<std::string> files = nektar::part_names(names);
  if (files.empty() || entry_of(names) != files.front()) return {};
  return {{"parts", nektar::join_list(files)}};
}

bool recognises(std::span<const std::byte> head, std::uint64_t /*size*/) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (container_of(head) != Container::xml) return true;
  return first != std::string_view::npos && text[first] == '<' && text.find("<NEKTAR") != std::string_view::npos;
}

bool owns(const std::shared_ptr<ByteSource>& bytes) {
  const Container container = container_of(*bytes);
  if (container == Container::streams) return nektar::holds_field_streams(bytes);
  return container == Container::xml || nektar::holds_fields(bytes);
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  const auto blocks = options.text("blocks") == "each" ? nektar::Blocks::each : nektar::Blocks::joined;
  const Container container = container_of(*bytes);
  if (container != Container::hdf5) refuse_chunk_cache(options);
  switch (container) {
    case Container::hdf5:
      return std::make_unique<hdf5::LiveDescriber>(
          std::move(bytes), context,
          [context, blocks, cache = chunk_cache_bytes(options)](std::shared_ptr<ByteSource> still) {
            return std::make_unique<nektar::H5Describer>(std::move(still), context, blocks, cache);
          });
    case Container::streams:
      return std::make_unique<nektar::StreamDescriber>(std::move(bytes), context, blocks);
    case Container::xml:
      break;
  }
  const std::string files = options.text("parts");
  return std::make_unique<nektar::XmlDescriber>(std::move(bytes), context, blocks,
                                                files.empty() ? std::vector<std::string>{} : nektar::split_list(files));
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  const std::string layout = options.text("layout");
  static const std::vector<OptionUse> uses{{"largest_block", "layout", {"xml", "directory"}},
                                           {"kept_text", "layout", {"xml", "directory"}},
                                           {"alignment", "layout", {"hdf5"}},
                                           {"alignment_threshold", "layout", {"hdf5"}}};
  const auto useless = useless_option(options, nektar_format().write_options, uses);
  if (useless) throw Error(*useless);
  if (layout == "hdf5") return std::make_unique<nektar::H5Planner>(rules_of(options), hdf5::Alignment::of(options));
  if (layout == "streams") return std::make_unique<nektar::StreamPlanner>(rules_of(options));
  return std::make_unique<nektar::XmlPlanner>(rules_of(options), layout == "directory", limits_of(options));
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& options) {
  return nektar::fit_step(file, step, rules_of(options));
}

}  // namespace

const Format& nektar_format() {
  static const Format format{
      .name = "nektar",
      .title = "fields and checkpoints of Nektar++",
      .suffixes = {".fld", ".chk", ".rst", ".bse", ".bc"},
      .holds_one_step = true,
      .holds_tables = false,
      .holds_elements = true,
      .read_options = reading_options(),
      .write_options = writing_options(),
      .writing_variants = variants(),
      .recognises = recognises,
      .describe = describe,
      .plan_writing = plan_writing,
      .fit = fit,
      .owns = owns,
      .entry_of = entry_of,
      .entry_options = entry_options,
  };
  return format;
}

}  // namespace quire
