#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/hdf5/library/kept_datasets.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "format/plain/matrix.hpp"
#include "format/plain/survey.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::hdf5 {

/// Describes any HDF5 file as one step. One-dimensional datasets of one group and length are the columns of a table
/// that is named by the group's path. Datasets of compounds are tables with a column for each member. Matrices are
/// fields, or tables if their attributes or the reader's options name columns. All other arrays are fields.
class PlainDescriber final : public Describer, public OpaqueReader, public Repairer {
 public:
  /// Options: `columns` (paths of matrices that are tables), `matrices` (how other matrices are read), `cut`.
  PlainDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const CheckedOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return 1; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] DescriberCapabilities capabilities() override { return {.opaque = this, .repairer = this}; }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  [[nodiscard]] Publication repair() override { return file_->repair(); }

 private:
  /// Reads values of a column or field that cannot be addressed.
  using ReadRows = std::function<void(std::uint64_t component, const Slice& rows, const View& out)>;

  void describe_step();
  /// The attributes of the root; none, and a warning, if they are cut off.
  [[nodiscard]] std::vector<Attribute> attributes_of_root(std::vector<std::string>& warnings);
  /// The tables named by the option `columns` come first, in this order.
  void put_asked_first();
  void add_group(PlainGroup group);
  void add_table_of_lines(const std::string& group, std::vector<PlainDataset> lines);
  void add_matrix(PlainDataset dataset, const std::vector<std::string>& names);
  void add_compound(PlainDataset dataset);
  void add_field(const std::string& group, PlainDataset dataset);
  void add_scalar(const PlainDataset& dataset);
  void report_left_out(const std::vector<std::string>& attributes);
  /// Adds a table whose columns are the cells of one run.
  void add_table(Table table, Run run);
  /// The names of a matrix's columns if it is a table.
  [[nodiscard]] std::optional<std::vector<std::string>> matrix_columns(const PlainDataset& dataset);
  [[nodiscard]] Handle open_dataset(const std::string& path) const;
  /// Runs `read` on a dataset that may be kept open for the next call.
  void read_kept(const std::string& path, const std::function<void(hid_t)>& read);
  template <class Work>
  auto guarded(Work&& work);

  DescribeContext context_;
  std::vector<std::string> asked_;  ///< paths of the option `columns`
  bool all_matrices_ = false;
  Unwritten unwritten_ = Unwritten::refused;
  std::shared_ptr<OpenFile> file_;
  std::optional<Error> cut_;  ///< why the file is not whole, if it is read all the same
  FileDescription description_;
  std::optional<StepLayout> step_;
  std::map<std::string, ReadRows, std::less<>> opaque_;  ///< by name of the table, a slash, and column or field
  KeptDatasets kept_;
  MatrixRows matrix_rows_;
};

}  // namespace quire::hdf5
