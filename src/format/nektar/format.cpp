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

class NektarFormat final : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "nektar"; }
  [[nodiscard]] std::string_view title() const override { return "fields and checkpoints of Nektar++"; }
  [[nodiscard]] std::vector<std::string_view> suffixes() const override {
    return {".fld", ".chk", ".rst", ".bse", ".bc"};
  }
  [[nodiscard]] std::string entry_of(std::span<const std::string> names) const override {
    for (const std::string_view index : nektar::index_names) {
      if (std::ranges::find(names, index) != names.end()) return std::string(index);
    }
    const std::vector<std::string> files = nektar::part_names(names);
    return files.empty() ? std::string() : files.front();
  }
  [[nodiscard]] Options entry_options(std::span<const std::string> names) const override {
    const std::vector<std::string> files = nektar::part_names(names);
    if (files.empty() || entry_of(names) != files.front()) return {};
    return {{"parts", nektar::join_list(files)}};
  }
  [[nodiscard]] bool holds_one_step() const override { return true; }
  [[nodiscard]] bool holds_elements() const override { return true; }

  [[nodiscard]] bool recognises(std::span<const std::byte> head, std::uint64_t /*size*/) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (container_of(head) != Container::xml) return true;
    return first != std::string_view::npos && text[first] == '<' && text.find("<NEKTAR") != std::string_view::npos;
  }

  [[nodiscard]] bool owns(const std::shared_ptr<ByteSource>& bytes) const override {
    const Container container = container_of(*bytes);
    if (container == Container::streams) return nektar::holds_field_streams(bytes);
    return container == Container::xml || nektar::holds_fields(bytes);
  }

  [[nodiscard]] const std::vector<Option>& read_options() const override {
    static const std::vector<Option> options{
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
    return options;
  }
  [[nodiscard]] const std::vector<Option>& write_options() const override {
    static const std::vector<Option> options = hdf5::with_alignment({
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
    return options;
  }

  [[nodiscard]] std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                                    const CheckedOptions& options) const override {
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
    return std::make_unique<nektar::XmlDescriber>(
        std::move(bytes), context, blocks, files.empty() ? std::vector<std::string>{} : nektar::split_list(files));
  }

  [[nodiscard]] std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) const override {
    const std::string layout = options.text("layout");
    static const std::vector<OptionUse> uses{{"largest_block", "layout", {"xml", "directory"}},
                                             {"kept_text", "layout", {"xml", "directory"}},
                                             {"alignment", "layout", {"hdf5"}},
                                             {"alignment_threshold", "layout", {"hdf5"}}};
    const auto useless = useless_option(options, write_options(), uses);
    if (useless) throw Error(*useless);
    if (layout == "hdf5") return std::make_unique<nektar::H5Planner>(rules_of(options), hdf5::Alignment::of(options));
    if (layout == "streams") return std::make_unique<nektar::StreamPlanner>(rules_of(options));
    return std::make_unique<nektar::XmlPlanner>(rules_of(options), layout == "directory", limits_of(options));
  }

  [[nodiscard]] std::vector<Options> writing_variants() const override {
    std::vector<Options> all = Format::writing_variants();
    // Several blocks of a kind, none of which is kept in memory until it is written.
    for (const char* layout : {"xml", "directory"}) {
      all.push_back({{"layout", layout}, {"largest_block", "1000"}, {"kept_text", "0"}});
    }
    return all;
  }

  [[nodiscard]] Fit fit(const FileDescription& file, const StepDescription& step,
                        const CheckedOptions& options) const override {
    return nektar::fit_step(file, step, rules_of(options));
  }
};

}  // namespace

const Format& nektar_format() {
  static const NektarFormat format;
  return format;
}

}  // namespace quire
