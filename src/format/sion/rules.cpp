#include "format/sion/rules.hpp"

#include <charconv>
#include <limits>

#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::sion {
namespace {

ByteOrder order_option(const CheckedOptions& options, std::string_view name) {
  const std::string& order = options.text(name);
  if (order == "native") return native_order;
  return order == "big" ? ByteOrder::big : ByteOrder::little;
}

std::optional<std::uint64_t> files_option(const CheckedOptions& options) {
  const std::string text = options.text("files");
  if (text == "auto") return std::nullopt;
  std::uint64_t files = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), files);
  if (code != std::errc{} || end != text.data() + text.size() || files < 1 || files > most_members) {
    throw Error(ErrorKind::usage, "option files is between 1 and " + std::to_string(most_members) +
                                      ", or is auto: it cannot be \"" + text + "\"");
  }
  return files;
}

void set_mode(WriteRules& rules, const CheckedOptions& options) {
  const std::string mode = options.text("mode");
  rules.sizes.mode = mode == "plain" ? Mode::plain : mode == "merge" ? Mode::merge : Mode::collective;
  rules.sizes.group_tasks = options.integer("collsize");
  rules.modular = mode == "collmsa";
  rules.sizes.exact_groups = rules.modular;
  if (rules.modular && rules.sizes.group_tasks < 2) {
    throw Error(ErrorKind::usage, "mode=collmsa requires the number of tasks in a group, at least 2")
        .on("collsize")
        .advise("give collsize=N");
  }
  rules.sizes.compact = options.text("style") == "compact";
  const long long unit = rules.sizes.compact && !options.given("block_size") ? 1 : options.integer("block_size");
  if (unit < 1 || unit > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::usage, "option block_size is between 1 and 2147483647 bytes");
  }
  rules.sizes.block_size = static_cast<std::uint64_t>(unit);
}

void set_copies(WriteRules& rules, const CheckedOptions& options) {
  const long long copies = options.integer("copies");
  if (copies < 0 || static_cast<std::uint64_t>(copies) > most_written_copies) {
    throw Error(ErrorKind::usage, "option copies is between 0 and " + std::to_string(most_written_copies) + " copies");
  }
  rules.copies = static_cast<std::uint64_t>(copies);
  if (rules.copies == 0) return;
  // As in the files of the reference, all tasks of a file are one group.
  if (!options.given("collsize")) rules.sizes.group_tasks = std::numeric_limits<std::int32_t>::max();
  // The reference copies files that are written collectively by groups of tasks.
  if (!options.given("mode")) rules.sizes.mode = Mode::collective;
  if (rules.sizes.mode != Mode::collective || rules.modular) {
    throw Error(ErrorKind::usage, "copies are made in the mode collective").on("copies");
  }
  if (rules.interface != Interface::parallel) {
    throw Error(ErrorKind::usage, "copies are made by the parallel interface").on("copies");
  }
}

void check_interface(const WriteRules& rules) {
  if (rules.interface == Interface::serial && rules.files.value_or(1) > 1) {
    throw Error(ErrorKind::usage, "the serial interface writes a single file").on("files");
  }
  // The reference ignores the mode in this interface.
  if (rules.interface == Interface::mapped && rules.sizes.mode != Mode::plain) {
    throw Error(ErrorKind::usage, "the mapped interface writes in plain mode").on("mode");
  }
  if (rules.modular && rules.interface != Interface::parallel) {
    throw Error(ErrorKind::usage, "mode=collmsa requires the parallel interface").on("mode");
  }
}

}  // namespace

WriteRules rules_of(const CheckedOptions& options) {
  WriteRules rules;
  set_mode(rules, options);
  const std::string interface = options.text("interface");
  rules.interface = interface == "serial"   ? Interface::serial
                    : interface == "mapped" ? Interface::mapped
                                            : Interface::parallel;
  rules.files = files_option(options);
  set_copies(rules, options);
  check_interface(rules);
  rules.keyed = options.truth("keys");
  const std::string origins = options.text("origins");
  rules.keeps_origins =
      rules.sizes.mode == Mode::merge && (origins == "kept" || (origins == "auto" && rules.sizes.compact));
  rules.notes = options.truth("notes");
  rules.order = order_option(options, "byte_order");
  rules.data_order =
      options.text("data_byte_order") == "native" ? rules.order : order_option(options, "data_byte_order");
  rules.stored_name = options.text("stored_name");
  return rules;
}

}  // namespace quire::sion
