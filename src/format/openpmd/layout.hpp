#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/hdf5/planning/layout.hpp"
#include "format/openpmd/acceptance.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/patches.hpp"
#include "quire/format/options.hpp"

namespace quire::hdf5 {

/// The layout of an openPMD file with a group for each iteration, or of one file of a series with one for each: a group
/// for each species with a dataset for each component of a record, and the same for meshes.
class OpenpmdLayout final : public Layout {
 public:
  /// Options: `species`, `iteration_format`, `patches`.
  explicit OpenpmdLayout(const CheckedOptions& options);

  [[nodiscard]] static std::string species_of(const CheckedOptions& options);

  [[nodiscard]] LayoutTraits traits() const override {
    return {.may_grow = false, .holds_constants = true, .records_zones = records_patches_};
  }
  [[nodiscard]] bool joins_components(const Field& field) const override { return is_joined(field); }
  [[nodiscard]] std::vector<Attribute> accept_file(const FileDescription& file) const override {
    return accept_series(file);
  }
  void check_new(std::int64_t number, bool is_first) const override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, const std::vector<Attribute>& /*pending*/,
                                       bool lossy) const override {
    return accept_iteration(step, species_, lossy);
  }
  [[nodiscard]] std::string name_of(const Table& table) const override { return table.name; }
  [[nodiscard]] std::string name_of(const Field& field) const override { return field.name; }
  [[nodiscard]] std::optional<ZoneTable> zones_of(const StepDescription& step, std::size_t table) const override {
    return patches_of(step, table, species_);
  }
  [[nodiscard]] std::optional<GrowingStep> fresh(const StepDescription& /*step*/,
                                                 const Chunking& /*chunking*/) const override {
    return std::nullopt;
  }
  void advance(const StepDescription& step) override { numbers_.insert(step.number); }

  [[nodiscard]] Resumed resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                               bool drop) override;
  void write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const override;
  [[nodiscard]] std::vector<std::string> create(const NewStep& step) override;

 private:
  std::string species_;
  bool records_patches_;       ///< of each rank
  bool is_of_series_ = false;  ///< the file holds one iteration

  // On rank 0 only.
  SeriesPaths paths_;
  std::set<std::int64_t> numbers_;  ///< of the iterations in the file
};

}  // namespace quire::hdf5
