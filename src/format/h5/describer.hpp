#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5/chunks.hpp"
#include "format/h5/kept_datasets.hpp"
#include "format/h5/links.hpp"
#include "format/h5/meshes.hpp"
#include "format/h5/names.hpp"
#include "format/h5/open_file.hpp"
#include "format/h5/units.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// Describes H5Part files. The links of the root are listed once; of a step nothing is read until it is asked for.
class H5partDescriber final : public Describer {
 public:
  /// Options: `step_name` (empty: guessed), `strict` (columns of unequal length are bad_file errors), `cut` (of a file
  /// that is shorter than it says, the whole steps; behind them comes the error), `meshes` (the meshes in place of the
  /// steps, as without steps).
  H5partDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const CheckedOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return shows_meshes_ ? 1 : entries_.size(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  /// The library is fast as long as it stays in the processor's caches.
  [[nodiscard]] bool looks_ahead() const override { return !shows_meshes_ && !cut_; }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] Publication repair() override { return main_->repair(); }
  [[nodiscard]] Publication drop(std::span<const std::int64_t> numbers) override;

 private:
  /// A step's group, maybe in another file, which lives as long as the handle.
  struct StepGroup {
    std::shared_ptr<OpenFile> file;
    Handle group;
    bool is_external = false;
  };
  /// A column-like data set of a step.
  struct Member;

  void describe_file(const CheckedOptions& options);
  /// Reads what describes the file as a whole; what lies behind the end of a cut file is left out with a warning.
  void describe_around(const std::string& what, const std::function<void()>& read);
  /// Decides whether meshes or steps are shown.
  void choose_meshes(bool asked);
  /// Keeps the steps of a cut file that are inside it.
  void keep_whole_steps();
  /// Takes the units of what the steps hold out of the attributes of the file. They are looked up in the first steps
  /// and the last one, as long as some are left whose quantity has not been met.
  void fold_units();
  void add_layout_facts(const std::vector<std::string>& others);
  /// The names of the attributes, columns and fields of a step, for which no data set is opened.
  [[nodiscard]] std::vector<std::string> names_in(const StepEntry& entry);
  [[nodiscard]] StepGroup open_step(const StepEntry& entry);
  [[nodiscard]] static Handle open_block(const StepGroup& step);
  [[nodiscard]] std::shared_ptr<OpenFile> neighbour(const std::string& name);
  [[nodiscard]] StepLayout describe_step(const StepEntry& entry);
  [[nodiscard]] std::vector<Member> members_of(const StepGroup& step, std::span<const Link> links, ChunkScope& scope);
  /// How many rows the table of a step has, whose columns may differ in length: as many as most of x, y, z and id, then
  /// as most columns, then as the first one. Nothing without arrays of one axis.
  [[nodiscard]] static std::optional<std::uint64_t> rows_of(std::span<const Member> members);
  void add_table(StepLayout& layout, std::vector<Member> members) const;
  void add_block(const StepGroup& step, ChunkScope& scope, StepLayout& layout) const;
  /// Runs work on the library; its errors name the file.
  template <class Work>
  auto guarded(Image& image, Work&& work);

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  bool strict_ = false;
  bool may_be_cut_ = false;
  Unwritten unwritten_ = Unwritten::refused;
  bool shows_meshes_ = false;
  std::optional<Error> cut_;  ///< what comes behind the whole steps
  std::shared_ptr<OpenFile> main_;
  std::string neighbour_name_;
  std::shared_ptr<OpenFile> neighbour_;  ///< the one used last
  KeptDatasets kept_;
  StepNaming naming_;
  std::vector<StepEntry> entries_;
  Units units_;
  FileDescription description_;
  std::optional<Meshes> meshes_;
  std::uint64_t described_index_ = 0;
  std::optional<StepLayout> described_;  ///< the step described last
};

}  // namespace quire::h5
