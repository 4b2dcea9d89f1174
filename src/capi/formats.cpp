#include "quire/capi/formats.h"

#include <algorithm>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "quire/format/format.hpp"

// Names, titles and options of formats are literals, so a zero byte follows them.
namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

/// Null for unknown names.
const quire::Format* find_format(const char* name) {
  const auto& all = quire::formats();
  const auto found = std::ranges::find_if(all, [&](const auto* one) { return name != nullptr && one->name == name; });
  return found != all.end() ? *found : nullptr;
}

/// Options of a format, or of all formats; null for unknown names.
const std::vector<quire::Option>* options_of(const char* format, bool is_writing) {
  if (format != nullptr && *format == '\0') {
    return is_writing ? &quire::common_write_options() : &quire::common_read_options();
  }
  const quire::Format* found = find_format(format);
  if (found == nullptr) return nullptr;
  return is_writing ? &found->write_options : &found->read_options;
}

bool holds(const char* name, bool quire::Format::*what) {
  const quire::Format* found = find_format(name);
  return found != nullptr && found->*what;
}

}  // namespace

extern "C" {

const char* quire_format_name(uint64_t index) {
  return index < quire::formats().size() ? quire::formats()[index]->name.data() : nullptr;
}

const char* quire_format_for_path(const char* path) {
  const quire::Format* found = path != nullptr ? quire::format_for_suffix(path) : nullptr;
  return found != nullptr ? found->name.data() : nullptr;
}

const char* quire_format_suffix(const char* name, uint64_t index) {
  const quire::Format* found = find_format(name);
  return found != nullptr && index < found->suffixes.size() ? found->suffixes[index].data() : nullptr;
}

int quire_format_holds_one_step(const char* name) { return holds(name, &quire::Format::holds_one_step) ? 1 : 0; }

int quire_format_holds_streams(const char* name) { return holds(name, &quire::Format::holds_streams) ? 1 : 0; }

int quire_format_holds_tables(const char* name) { return holds(name, &quire::Format::holds_tables) ? 1 : 0; }

quire_status quire_get_format_info(const char* name, quire_format_info* info, uint64_t size) {
  return guarded([&] {
    const quire::Format* found = find_format(not_null(name, "the name of the format"));
    if (found == nullptr) throw Error(ErrorKind::missing, "this build has no format of this name").on(name);
    quire_format_info known = {};
    known.name = found->name.data();
    known.title = found->title.data();
    known.suffixes = found->suffixes.size();
    known.holds_one_step = found->holds_one_step ? 1 : 0;
    known.finds_steps_alone = found->finds_steps_alone ? 1 : 0;
    known.holds_tables = found->holds_tables ? 1 : 0;
    known.holds_constants = found->holds_constants ? 1 : 0;
    known.holds_streams = found->holds_streams ? 1 : 0;
    known.holds_elements = found->holds_elements ? 1 : 0;
    known.holds_attachments = found->holds_attachments ? 1 : 0;
    known.holds_declarations = found->holds_declarations ? 1 : 0;
    known.read_options = found->read_options.size();
    known.write_options = found->write_options.size();
    fill_in(known, info, size);
  });
}

quire_status quire_get_option(const char* format, int is_writing, uint64_t index, quire_option_info* info,
                              uint64_t size) {
  return guarded([&] {
    const auto* options = options_of(not_null(format, "the name of the format"), is_writing != 0);
    if (options == nullptr || index >= options->size()) throw Error(ErrorKind::missing, "there is no such option");
    const quire::Option& option = (*options)[index];
    const quire_option_info known = {option.name.data(), static_cast<quire_option_kind>(option.kind),
                                     option.preset.data(), option.help.data(), option.choices.size()};
    fill_in(known, info, size);
  });
}

const char* quire_option_choice(const char* format, int is_writing, uint64_t option, uint64_t index) {
  const auto* options = options_of(format, is_writing != 0);
  if (options == nullptr || option >= options->size()) return nullptr;
  const auto& choices = (*options)[option].choices;
  return index < choices.size() ? choices[index].data() : nullptr;
}

}  // extern "C"
