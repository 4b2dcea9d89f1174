#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5part/meshes.hpp"
#include "format/h5part/names.hpp"
#include "format/h5part/units.hpp"
#include "format/hdf5/library/chunks.hpp"
#include "format/hdf5/library/kept_datasets.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::hdf5 {

/// Describes H5Part files. The links of the root are listed once. A step is read when it is requested.
class H5partDescriber final : public Describer,
                              public OpaqueReader,
                              public Repairer,
                              public StepRemover,
                              public AttachmentReader {
 public:
  /// Options: `step_name` (empty: guessed), `strict` (columns of unequal length are bad_file errors), `cut` (of a
  /// truncated file, the complete steps are read, then the error is thrown), `meshes` (the meshes are shown in place of
  /// the steps, as for a file without steps).
  H5partDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const CheckedOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return shows_meshes_ ? 1 : entries_.size(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  /// Steps are described together: HDF5 is fast while its code and data stay in the processor's caches.
  [[nodiscard]] DescriberCapabilities capabilities() override {
    return {
        .looks_ahead = !shows_meshes_ && !cut_, .opaque = this, .repairer = this, .remover = this, .attachments = this};
  }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] Publication repair() override { return main_->repair(); }
  [[nodiscard]] Publication drop(std::span<const std::int64_t> numbers) override;

 private:
  /// A step's group, possibly in another file, which is kept open with the group.
  struct StepGroup {
    std::shared_ptr<OpenFile> file;
    Handle group;
    bool is_external = false;
  };
  /// A column-like dataset of a step.
  struct Member;

  void describe_file(const CheckedOptions& options);
  /// Reads a part of the description of the whole file. In a truncated file, a part beyond the end is left out with a
  /// warning.
  void describe_around(const std::string& what, const std::function<void()>& read);
  /// Decides whether meshes or steps are shown.
  void choose_meshes(bool asked);
  /// Keeps the steps of a truncated file that are complete.
  void keep_whole_steps();
  /// Removes the units of the contents of the steps from the attributes of the file. Searches the first steps and the
  /// last one until every unit has found its quantity.
  void fold_units();
  void add_layout_facts(const std::vector<std::string>& others);
  /// The names of the attributes, columns and fields of a step. Opens no dataset.
  [[nodiscard]] std::vector<std::string> names_in(const StepEntry& entry);
  [[nodiscard]] StepGroup open_step(const StepEntry& entry);
  [[nodiscard]] static Handle open_block(const StepGroup& step);
  [[nodiscard]] std::shared_ptr<OpenFile> neighbour(const std::string& name);
  [[nodiscard]] StepLayout describe_step(const StepEntry& entry);
  [[nodiscard]] std::vector<Member> members_of(const StepGroup& step, std::span<const Link> links, ChunkScope& scope);
  /// The number of rows of a step's table if its columns differ in length: the length of most of x, y, z and id, then
  /// of most columns, then of the first one. No value without one-dimensional arrays.
  [[nodiscard]] static std::optional<std::uint64_t> rows_of(std::span<const Member> members);
  void add_table(StepLayout& layout, std::vector<Member> members) const;
  void add_block(const StepGroup& step, ChunkScope& scope, StepLayout& layout) const;
  /// Runs work that calls the library; its errors get the name of the file.
  template <class Work>
  auto guarded(Image& image, Work&& work);

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  bool strict_ = false;
  bool may_be_cut_ = false;
  Unwritten unwritten_ = Unwritten::refused;
  bool shows_meshes_ = false;
  std::optional<Error> cut_;  ///< thrown after the complete steps
  std::shared_ptr<OpenFile> main_;
  std::string neighbour_name_;
  std::shared_ptr<OpenFile> neighbour_;  ///< the other file used last
  KeptDatasets kept_;
  StepNaming naming_;
  std::vector<StepEntry> entries_;
  Units units_;
  FileDescription description_;
  std::optional<Meshes> meshes_;
  std::uint64_t described_index_ = 0;
  std::optional<StepLayout> described_;  ///< the most recently described step
};

}  // namespace quire::hdf5
