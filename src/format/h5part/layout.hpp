#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/h5part/attachments.hpp"
#include "format/h5part/names.hpp"
#include "format/h5part/rewriting.hpp"
#include "format/h5part/units.hpp"
#include "format/hdf5/planning/layout.hpp"
#include "quire/format/options.hpp"

namespace quire::hdf5 {

/// The layout of an H5Part file: a group for each step, with a dataset for each column of its table and a group for
/// each field.
class H5partLayout final : public Layout, public AttachmentWriter {
 public:
  /// Options: `step_name`, `step_width`, `existing` and `grow`.
  explicit H5partLayout(const CheckedOptions& options);

  [[nodiscard]] LayoutTraits traits() const override {
    return {.replaces_attributes = existing_ == Existing::overwrite};
  }
  [[nodiscard]] std::vector<Attribute> accept_file(const FileDescription& file) const override;
  void keep_file(const FileDescription& file) override;
  void check_new(std::int64_t number, bool is_first) const override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, const std::vector<Attribute>& pending,
                                       bool lossy) const override;
  /// A step has one table.
  [[nodiscard]] std::string name_of(const Table& /*table*/) const override { return {}; }
  [[nodiscard]] std::string name_of(const Field& field) const override { return field.name; }
  [[nodiscard]] std::optional<GrowingStep> fresh(const StepDescription& step, const Chunking& chunking) const override;
  void advance(const StepDescription& step) override;

  [[nodiscard]] Resumed resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                               bool drop) override;
  void write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const override;
  [[nodiscard]] std::vector<std::string> create(const NewStep& step) override;
  /// Also applies the changes of attachments, whose bytes are stored after the planned data.
  [[nodiscard]] Publication session(FileWriter& writer, std::vector<PlannedSpace> planned,
                                    const SessionWork& work) override;
  [[nodiscard]] bool has_changes() const override { return !attachments_.empty(); }
  [[nodiscard]] AttachmentWriter* attachments() override { return this; }
  void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace) override {
    attachments_.change(name, std::move(bytes), replace);
  }

 private:
  void learn_naming(Image& image, hid_t file, const std::vector<std::string>& links);

  StepNaming naming_;
  bool is_prefix_given_;
  bool is_width_given_;
  bool grows_;
  Existing existing_;
  Units units_;  ///< of quantities in the file or about to be written; the same on every rank

  // On rank 0 only.
  std::set<std::int64_t> numbers_;  ///< of the steps in the file
  AttachmentChanges attachments_;   ///< to be made with the next publication
};

}  // namespace quire::hdf5
