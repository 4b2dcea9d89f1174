#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/format/fit.hpp"
#include "quire/spi/plan/byte_source.hpp"

namespace quire {

class Describer;         // quire/spi/format/describer.hpp
struct DescribeContext;  // quire/spi/format/describer.hpp
class WritePlanner;      // quire/spi/format/planner.hpp

/// A file of a series that has one for each step.
struct SeriesFile {
  std::string name;
  Options options;  ///< of its writer
};

/// One file format: the entry in the registry.
struct Format {
  std::string_view name;
  std::string_view title;  ///< one line, for display
  std::vector<std::string_view> suffixes;
  /// Suffixes that its files may also have, although a path with one is assigned to another format of the same
  /// container.
  std::vector<std::string_view> shared_suffixes{};

  bool holds_one_step = false;     ///< a second step is an unsupported error, and so is appending
  bool finds_steps_alone = false;  ///< steps are located independently: an unreadable step hides no other
  bool holds_tables = true;        ///< with any columns; otherwise only the tables of the format
  bool holds_constants = false;    ///< a column with the same number in every row is stored once
  bool holds_streams = false;      ///< files are written from streams only
  bool holds_elements = false;     ///< files are written from elements with coefficients only
  bool holds_attachments = false;
  bool holds_declarations = false;  ///< a file without steps can declare their structure (FileDescription::declared)

  std::vector<Option> read_options{};
  /// Options with which a reader returns the intact parts of files that it rejects otherwise.
  Options tolerant_options{};
  std::vector<Option> write_options{};
  /// Options for each kind of file that the format can write, the presets first, for tests and benchmarks.
  std::vector<Options> writing_variants{{}};

  /// Recognises content: `head` holds the first bytes of the file (up to 64 KiB).
  bool (*recognises)(std::span<const std::byte> head, std::uint64_t size);
  std::unique_ptr<Describer> (*describe)(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                         const CheckedOptions& options);
  std::unique_ptr<WritePlanner> (*plan_writing)(const CheckedOptions& options);
  /// The part of a step that a file written with these options can hold.
  Fit (*fit)(const FileDescription& file, const StepDescription& step, const CheckedOptions& options);

  /// The same with the presets.
  [[nodiscard]] Fit fit_with_presets(const FileDescription& file, const StepDescription& step) const;

  // What only some formats do. Null: this one does not.

  /// A second check, if several formats share a container that the first bytes identify: whether the content belongs to
  /// this format. Called only if recognises() returned true; an unreadable file belongs to the first such format.
  bool (*owns)(const std::shared_ptr<ByteSource>& bytes) = nullptr;
  /// The file, of those in a directory, that is opened for the whole; empty if the directory does not belong to this
  /// format.
  std::string (*entry_of)(std::span<const std::string> names) = nullptr;
  /// Additional default options for the reader of such a directory.
  Options (*entry_options)(std::span<const std::string> names) = nullptr;
  /// The file, of those in a directory, that is opened for a pattern of names; empty if the format knows no such
  /// pattern, or no file has one of its names.
  std::string (*first_of_pattern)(const std::string& pattern, std::span<const std::string> names) = nullptr;
  /// The file of a step of a new series whose files are named by a pattern; no value if the name is no such pattern.
  std::optional<SeriesFile> (*series_file)(const std::string& pattern, std::int64_t number) = nullptr;
  /// Paths of files that may be opened instead of a missing one, if the options of the reader allow it.
  std::vector<std::string> (*stand_ins)(const std::string& path, const Options& options) = nullptr;
  /// Whether these options write several files, or may do so, that refer to each other by name: only their writer can
  /// replace others by them.
  bool (*makes_set)(const CheckedOptions& options) = nullptr;
  /// The names of the other files of a set, existing or not, from its possibly damaged first one, which is called
  /// `first`. None if names alone determine them (FileSetNames::names_determine_members()).
  std::vector<std::string> (*named_members)(ByteSource& bytes, const std::string& first) = nullptr;
  /// Options of the writer that a file of this format needs for steps with numbers from `lowest` to `highest`.
  Options (*options_for_numbers)(std::int64_t lowest, std::int64_t highest) = nullptr;
};

/// Independent. All formats of this build, in the order in which they are tried for recognition.
[[nodiscard]] const std::vector<const Format*>& formats();
/// Independent. The format of this name. Throws usage errors that list the names.
[[nodiscard]] const Format& format_named(std::string_view name);
/// Independent. The format of a content, or a bad_file error that lists the formats. `head` holds the first bytes of
/// the file; more is read of a format that is not recognised by these, and of containers that several formats share.
[[nodiscard]] const Format& recognise(std::span<const std::byte> head, const std::shared_ptr<ByteSource>& bytes);
/// Independent. The format for the suffix of a path, below that of a compression if present, or for a pattern of names
/// of a series; null if no format has it.
[[nodiscard]] const Format* format_for_suffix(std::string_view path);
/// Independent. The format of a new series whose files are named by the pattern `path`; null for other paths. `format`
/// is its name; empty: that of the suffix.
[[nodiscard]] const Format* format_of_series(std::string_view path, std::string_view format = {});
/// Independent. Whether files of a format may have this name: by one of its suffixes, or a shared one.
[[nodiscard]] bool may_be_named(const Format& format, std::string_view path);
/// Independent. Format::entry_of(); empty if the format has no directories.
[[nodiscard]] std::string entry_of(const Format& format, std::span<const std::string> names);
/// Independent. Format::makes_set(); false if the format has no sets.
[[nodiscard]] bool makes_set(const Format& format, const CheckedOptions& options);

}  // namespace quire
