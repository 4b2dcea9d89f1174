#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/openpmd/describer.hpp"

namespace quire::hdf5 {

/// The names of the files of a series: a text with %T, or %06T, in place of the number of the iteration.
class NamePattern {
 public:
  /// No value if the text has no place for a number.
  [[nodiscard]] static std::optional<NamePattern> of(std::string_view text);

  /// The name for a number.
  [[nodiscard]] std::string name_of(std::int64_t number) const;
  /// The number in a name; no value for the names of other files.
  [[nodiscard]] std::optional<std::int64_t> number_in(std::string_view name) const;
  /// The first of these names that belongs to the series, by number; empty if none does.
  [[nodiscard]] std::string first_of(std::span<const std::string> names) const;
  /// The same pattern with the ending of a file.
  [[nodiscard]] NamePattern ending_in(std::string_view ending) const;

 private:
  std::string before_;
  std::string after_;
  std::size_t width_ = 0;
};

/// Describes the files of a series that has one for each iteration (fileBased) as one file. Member 0 of the set is the
/// file that was opened. Other files are opened when their steps are read.
class SeriesDescriber final : public Describer, public OpaqueReader, public Repairer {
 public:
  /// The series to which the `first` file belongs by its name and attributes, or this file alone.
  [[nodiscard]] static std::unique_ptr<Describer> around(std::unique_ptr<OpenpmdDescriber> first,
                                                         const DescribeContext& context, const CheckedOptions& options);

  SeriesDescriber(std::unique_ptr<OpenpmdDescriber> first, DescribeContext context, CheckedOptions options,
                  const std::map<std::int64_t, std::string>& names, const std::string& own_name);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return entries_.size(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override { return entry(index).number; }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] DescriberCapabilities capabilities() override { return {.opaque = this, .repairer = this}; }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  [[nodiscard]] Publication repair() override { return first_->repair(); }

 private:
  struct Entry {
    std::int64_t number = 0;
    std::uint64_t member = 0;
  };

  [[nodiscard]] const Entry& entry(std::uint64_t index) const;
  /// The describer of a member, and the index of a step in it.
  [[nodiscard]] OpenpmdDescriber& member(std::uint64_t number);
  [[nodiscard]] std::uint64_t index_in(OpenpmdDescriber& file, const Entry& entry) const;

  std::unique_ptr<OpenpmdDescriber> first_;
  DescribeContext context_;
  CheckedOptions options_;
  FileDescription description_;
  std::vector<Entry> entries_;  ///< by number
  std::uint64_t open_member_ = 0;
  std::unique_ptr<OpenpmdDescriber> open_;  ///< the member that was used last, apart from the first one
};

}  // namespace quire::hdf5
