#include <algorithm>
#include <span>

#include "base/compression.hpp"
#include "base/index_mark.hpp"
#include "format/format_names.hpp"
#include "format/h5part/format.hpp"
#include "format/hdf5/library/file_locks.hpp"
#include "format/library_locks.hpp"
#include "format/nektar/format.hpp"
#include "format/openpmd/format.hpp"
#include "format/plain/format.hpp"
#include "format/registration.hpp"
#include "format/sdds/format.hpp"
#include "format/sion/format.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"

namespace quire {

Fit Format::fit_with_presets(const FileDescription& file, const StepDescription& step) const {
  return fit(file, step, CheckedOptions(write_options, {}));
}

std::string entry_of(const Format& format, std::span<const std::string> names) {
  return format.entry_of == nullptr ? std::string() : format.entry_of(names);
}

bool makes_set(const Format& format, const CheckedOptions& options) {
  return format.makes_set != nullptr && format.makes_set(options);
}

namespace {

std::vector<const Format*>& registered() {
  static std::vector<const Format*> all{&sdds_format(),    &h5part_format(), &nektar_format(),
                                        &openpmd_format(), &plain_format(),  &sion_format()};
  return all;
}

}  // namespace

const std::vector<const Format*>& formats() { return registered(); }

void register_format(const Format& format) {
  std::vector<const Format*>& all = registered();
  if (std::ranges::find(all, &format) == all.end()) all.push_back(&format);
}

std::string format_names() {
  std::string names;
  for (const Format* format : formats()) names += (names.empty() ? "" : ", ") + std::string(format->name);
  return names;
}

bool libraries_lock_files() { return hdf5::locks_files(); }

const Format& format_named(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return *format;
  }
  throw Error(ErrorKind::usage, "there is no format \"" + std::string(name) + "\"")
      .advise("the formats are " + format_names());
}

namespace {

/// The first format of a file that begins with these bytes; null if it is none.
const Format* format_of(std::span<const std::byte> head, const std::shared_ptr<ByteSource>& bytes) {
  const auto fits = [&](const Format* format) {
    return format->recognises(head, bytes->size()) && (format->owns == nullptr || format->owns(bytes));
  };
  const auto found = std::ranges::find_if(formats(), fits);
  return found != formats().end() ? *found : nullptr;
}

}  // namespace

const Format& recognise(std::span<const std::byte> head, const std::shared_ptr<ByteSource>& bytes) {
  const std::uint64_t size = bytes->size();
  // Signatures at the beginning are tried before those further on: a file may contain whole files of other formats.
  if (const Format* format = format_of(head.first(std::min(head.size(), recognised_bytes)), bytes)) return *format;
  std::vector<std::byte> longer(std::size_t{1} << 16);
  longer.resize(bytes->read(0, longer));
  if (const Format* format = format_of(longer, bytes)) return *format;
  if (size == 0) throw Error(ErrorKind::bad_file, "the file is empty").at(0);
  const auto mark = std::as_bytes(std::span(index_mark));
  if (longer.size() >= mark.size() && std::ranges::equal(mark, std::span(longer).first(mark.size()))) {
    throw Error(ErrorKind::bad_file, "it is the index of another file").at(0).advise("name that file, without .qix");
  }
  throw Error(ErrorKind::bad_file, "the file's first bytes belong to no known format")
      .at(0)
      .advise("known are " + format_names());
}

namespace {

bool ends_with_one(std::string_view path, const std::vector<std::string_view>& suffixes) {
  path = without_compression_suffix(path);
  return std::ranges::any_of(
      suffixes, [path](std::string_view suffix) { return path.size() > suffix.size() && path.ends_with(suffix); });
}

}  // namespace

const Format* format_of_series(std::string_view path, std::string_view format) {
  const std::string name(path.substr(path.rfind('/') + 1));
  for (const Format* candidate : formats()) {
    const bool is_meant = format.empty() ? may_be_named(*candidate, path) : candidate->name == format;
    if (is_meant && candidate->series_file != nullptr && candidate->series_file(name, 0)) return candidate;
  }
  return nullptr;
}

const Format* format_for_suffix(std::string_view path) {
  if (const Format* format = format_of_series(path)) return format;
  for (const Format* format : formats()) {
    if (ends_with_one(path, format->suffixes)) return format;
  }
  return nullptr;
}

bool may_be_named(const Format& format, std::string_view path) {
  return ends_with_one(path, format.suffixes) || ends_with_one(path, format.shared_suffixes);
}

}  // namespace quire
