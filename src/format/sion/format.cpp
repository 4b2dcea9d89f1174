#include "format/sion/format.hpp"

#include "format/option_use.hpp"
#include "format/sion/describer.hpp"
#include "format/sion/header.hpp"
#include "format/sion/planner.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace sion {
namespace {

std::vector<Option> reading_options() {
  return {
      {"lenient", OptionKind::truth, "false", {}, "accept newer versions, and chunks that run over their end"},
      {"buddy", OptionKind::truth, "false", {}, "use copies of the writer in place of missing files"},
      {"merged", OptionKind::truth, "false", {}, "show merged streams as stored, even if the file has their origins"},
      {"cut",
       OptionKind::truth,
       "false",
       {},
       "open cut files and sets with missing files, to save the remaining streams"},
  };
}

std::vector<Option> writing_options() {
  return {
      {"mode",
       OptionKind::text,
       "plain",
       {"plain", "collective", "merge", "collmsa"},
       "how tasks share space: each its own blocks, groups in blocks of theirs, or in the stream of one of the group; "
       "collmsa: groups of collsize tasks, whose first ones are the first tasks of all"},
      {"style",
       OptionKind::text,
       "reference",
       {"reference", "compact"},
       "the bytes of the reference, or chunks without unused space"},
      {"block_size",
       OptionKind::integer,
       "4096",
       {},
       "of the file system: chunks begin at multiples of it (compact: 1)"},
      {"collsize", OptionKind::integer, "0", {}, "approximate number of tasks in a group; 0: as the reference chooses"},
      {"files",
       OptionKind::text,
       "1",
       {},
       "number of physical files; auto: as many as the machine writes at once, at most 4 for each node"},
      {"copies", OptionKind::integer, "0", {}, "number of copies of each file, each written by another group of tasks"},
      {"keys", OptionKind::truth, "false", {}, "streams are records with keys"},
      {"interface",
       OptionKind::text,
       "parallel",
       {"parallel", "serial", "mapped"},
       "of the reference, that would have written these bytes"},
      {"origins",
       OptionKind::text,
       "auto",
       {"auto", "kept", "dropped"},
       "whether merged files store the origins of their bytes after their end; auto: in the compact style"},
      {"notes",
       OptionKind::truth,
       "true",
       {},
       "note written pieces in a second file, for quire recover, until the file is complete"},
      {"byte_order", OptionKind::text, "native", {"native", "little", "big"}, "of all numbers of the metadata"},
      {"data_byte_order",
       OptionKind::text,
       "native",
       {"native", "little", "big"},
       "a note for readers of the data; native: as byte_order"},
      {"stored_name", OptionKind::text, "", {}, "the name in the header; nothing: the path as given"},
  };
}

std::vector<Options> variants() {
  return {{},
          {{"block_size", "64"}},
          {{"mode", "collective"}, {"block_size", "64"}, {"collsize", "2"}},
          {{"mode", "merge"}, {"block_size", "64"}, {"origins", "kept"}},
          {{"style", "compact"}},
          {{"style", "compact"}, {"mode", "merge"}},
          {{"keys", "true"}, {"block_size", "64"}},
          {{"interface", "mapped"}, {"block_size", "1000"}},
          {{"files", "2"}, {"byte_order", "big"}, {"block_size", "64"}},
          {{"files", "3"}, {"copies", "2"}, {"block_size", "64"}},
          {{"mode", "collmsa"}, {"collsize", "3"}, {"block_size", "64"}}};
}

std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                    const CheckedOptions& options) {
  const ReadRules rules{.lenient = options.truth("lenient"),
                        .buddy = options.truth("buddy"),
                        .merged = options.truth("merged"),
                        .cut = options.truth("cut")};
  return std::make_unique<SionDescriber>(std::move(bytes), context, rules);
}

std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) {
  const bool has_groups = options.integer("copies") > 0 && !options.given("mode");
  auto useless = useless_option(options, sion_format().write_options, {{"origins", "mode", {"merge"}}});
  if (!useless && !has_groups) {
    useless = useless_option(options, sion_format().write_options,
                             {{"collsize", "mode", {"collective", "merge", "collmsa"}}});
  }
  if (useless) throw Error(*useless);
  return std::make_unique<SionPlanner>(options);
}

std::vector<std::string> stand_ins(const std::string& path, const Options& options) {
  const auto buddy = options.find("buddy");
  return buddy != options.end() && buddy->second == "true" ? sets_of(path) : std::vector<std::string>{};
}

Fit fit(const FileDescription& file, const StepDescription& step, const CheckedOptions& /*options*/) {
  Fit fit;
  fit.adapted.number = step.number;
  fit.adapted.streams = step.streams;
  const auto drop = [&](const std::string& what, const std::string& name) {
    fit.lose(what, name, "left out: a multifile has streams only");
  };
  if (step.number != 0) {
    fit.lose("step", std::to_string(step.number), "the number is left out");
  }
  if (!file.title.empty() || !file.contents.empty()) fit.lose({}, {}, "title and contents are left out");
  for (const Attribute& attribute : file.attributes) drop("attribute of the file", attribute.name);
  for (const Attribute& attribute : step.attributes) drop("attribute", attribute.name);
  // The table of a file of streams is created anew.
  for (const Table& table : step.tables) {
    if (step.streams == 0) drop("table", table.name);
  }
  for (const Field& field : step.fields) drop("field", field.name);
  return fit;
}

}  // namespace
}  // namespace sion

const Format& sion_format() {
  static const Format format{
      .name = "sion",
      .title = "SIONlib multifiles: streams of bytes, one a task",
      .suffixes = {".sion"},
      .holds_one_step = true,
      .holds_tables = false,
      .holds_streams = true,
      .read_options = sion::reading_options(),
      .tolerant_options = {{"cut", "true"}},
      .write_options = sion::writing_options(),
      .writing_variants = sion::variants(),
      .recognises = [](std::span<const std::byte> head, std::uint64_t /*size*/) { return sion::has_magic(head); },
      .describe = sion::describe,
      .plan_writing = sion::plan_writing,
      .fit = sion::fit,
      .stand_ins = sion::stand_ins,
      .makes_set = [](const CheckedOptions& /*options*/) { return true; },
  };
  return format;
}

}  // namespace quire
