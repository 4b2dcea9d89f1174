#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/planning/layout.hpp"
#include "format/plain/acceptance.hpp"
#include "quire/format/options.hpp"

namespace quire::hdf5 {

/// The layout of a plain HDF5 file: the datasets of its one step under their own names.
class PlainLayout final : public Layout {
 public:
  /// Options: `layout`, `dataset` and `grow`.
  explicit PlainLayout(const CheckedOptions& options);

  [[nodiscard]] static PlainRules rules_of(const CheckedOptions& options);

  [[nodiscard]] LayoutTraits traits() const override;
  [[nodiscard]] bool joins_components(const Field& /*field*/) const override { return true; }
  [[nodiscard]] std::vector<Attribute> accept_file(const FileDescription& file) const override {
    return accepted_file(file);
  }
  void check_new(std::int64_t number, bool is_first) const override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, const std::vector<Attribute>& pending,
                                       bool lossy) const override;
  [[nodiscard]] std::string name_of(const Table& table) const override { return path_of(table, rules_); }
  [[nodiscard]] std::string name_of(const Field& field) const override { return path_of(field); }
  [[nodiscard]] std::optional<GrowingStep> fresh(const StepDescription& step, const Chunking& chunking) const override;

  [[nodiscard]] Resumed resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                               bool drop) override;
  void write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const override;
  [[nodiscard]] std::vector<std::string> create(const NewStep& step) override;

 private:
  PlainRules rules_;
  bool grows_;
};

}  // namespace quire::hdf5
