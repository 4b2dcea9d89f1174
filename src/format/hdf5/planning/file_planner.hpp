#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/planning/placing.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::hdf5 {

/// The common part of the planners of HDF5 files, which write one file, or two if it is split.
class FilePlanner : public WritePlanner, public FileSetNames {
 public:
  void introduce(const DescribeContext& context) override;
  [[nodiscard]] WritePlan guard(const StepPart& mine) override;
  [[nodiscard]] std::uint64_t published_size() const override { return writer_.published_end(); }
  [[nodiscard]] std::uint64_t data_begin() const override;
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const override;
  /// True for files of both kinds, split or not: either kind may replace the other.
  [[nodiscard]] bool is_member(const std::string& first, std::string_view name) const override;
  [[nodiscard]] bool names_determine_members() const override { return false; }

 protected:
  /// Options: those of with_split(), with_alignment() and with_library_version().
  explicit FilePlanner(const CheckedOptions& options);

  /// FileWriter::take_over() with a check of the alignment.
  [[nodiscard]] Publication take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look);

  /// Rank 0 reads the names of the attributes of an existing file, and the other ranks receive them: these are replaced
  /// only on request.
  void learn_attributes(std::int64_t file);
  void adopt_attributes(const std::vector<std::string>& names);
  /// The names that other ranks receive: none after a step was published, because they are then known everywhere.
  [[nodiscard]] std::vector<std::string> shared_attributes(bool has_published) const;
  /// Adds attributes to the pending ones. An attribute of the same name is replaced.
  void add_attributes(std::vector<Attribute>& pending, std::vector<Attribute> added, bool may_replace) const;

  /// The contents of the first file of a new split file before raw data are written. It names the file of raw data;
  /// without it, raw data that a killed run leaves would belong to no file and block the next run. Empty for other
  /// files.
  [[nodiscard]] std::vector<std::byte> owner_of_raw_data();

  Alignment alignment_;
  FileWriter writer_;

 private:
  void require_alignment() const;

  DescribeContext context_;     ///< of an existing file, on rank 0
  std::set<std::string> held_;  ///< attributes of an existing file
};

/// A table of options, followed by the option for split files.
[[nodiscard]] std::vector<Option> with_split(std::vector<Option> options);
/// The same with the option for the release of HDF5 whose structures a new file may have.
[[nodiscard]] std::vector<Option> with_library_version(std::vector<Option> options);

}  // namespace quire::hdf5
