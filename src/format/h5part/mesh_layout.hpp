#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/h5part/units.hpp"
#include "format/hdf5/planning/layout.hpp"
#include "quire/format/options.hpp"

namespace quire::hdf5 {

/// The layout of a file of unstructured meshes (specs/h5part.md section 6), which are one step: a dataset of records,
/// without chunks, for each of its tables.
class MeshLayout final : public Layout {
 public:
  /// Throws usage errors for options that meshes do not have: chunks, and those of steps.
  explicit MeshLayout(const CheckedOptions& options);

  [[nodiscard]] LayoutTraits traits() const override {
    return {.joins_columns = true, .holds_one_step = true, .may_grow = false};
  }
  [[nodiscard]] std::vector<Attribute> accept_file(const FileDescription& file) const override;
  void check_new(std::int64_t number, bool is_first) const override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, const std::vector<Attribute>& pending,
                                       bool lossy) const override;
  [[nodiscard]] std::string name_of(const Table& table) const override { return table.name; }
  [[nodiscard]] std::string name_of(const Field& field) const override { return field.name; }
  [[nodiscard]] std::optional<GrowingStep> fresh(const StepDescription& /*step*/,
                                                 const Chunking& /*chunking*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] Resumed resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                               bool drop) override;
  void write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const override;
  [[nodiscard]] std::vector<std::string> create(const NewStep& step) override;
};

}  // namespace quire::hdf5
