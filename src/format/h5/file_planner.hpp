#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/h5/file_writer.hpp"
#include "format/h5/phdf5/settings.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// What planners of HDF5 files have in common: a file that they write, or two of one that is split.
class FilePlanner : public WritePlanner {
 public:
  void introduce(const DescribeContext& context) override;
  [[nodiscard]] WritePlan guard(const StepPart& mine) override;
  [[nodiscard]] std::uint64_t published_size() const override { return writer_.published_end(); }
  [[nodiscard]] std::uint64_t data_begin() const override;
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const override;
  /// Of all files, split or not: either kind may take the place of the other.
  [[nodiscard]] bool is_member(const std::string& first, std::string_view name) const override;
  [[nodiscard]] bool names_determine_members() const override { return false; }

 protected:
  /// Options: `split`, and those of with_alignment() and with_engine().
  FilePlanner(const CheckedOptions& options, EngineSettings engine);

  /// FileWriter::take_over(), for the engine that was chosen.
  [[nodiscard]] Publication take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look);

  /// Learns, on rank 0, or hears what attributes an existing file has: those that are replaced only if that is wanted.
  void learn_attributes(std::int64_t file);
  void hear_attributes(const std::vector<std::string>& names);
  /// What other ranks hear of them: nothing once a step is published, for they know by then.
  [[nodiscard]] std::vector<std::string> told_attributes(bool has_published) const;
  /// Adds to what is to be written, in the place of what has its name there.
  void add_attributes(std::vector<Attribute>& pending, std::vector<Attribute> added, bool may_replace) const;

  /// What the first file of a new split one is before there are raw data, which it names: else those that a killed run
  /// leaves are nobody's, and in the way of the next run. Empty for other files.
  [[nodiscard]] std::vector<std::byte> owner_of_raw_data();

  EngineSettings engine_;
  FileWriter writer_;

 private:
  void require_alignment() const;

  DescribeContext context_;     ///< of an existing file, on rank 0
  std::set<std::string> held_;  ///< attributes of an existing file
};

/// A table of options, and behind them that for split files.
[[nodiscard]] std::vector<Option> with_split(std::vector<Option> options);

}  // namespace quire::h5
