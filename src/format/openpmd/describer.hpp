#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/library/chunks.hpp"
#include "format/hdf5/library/kept_datasets.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "format/openpmd/iterations.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/species.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::hdf5 {

/// Describes openPMD files: each iteration is a step, each species a table, each mesh a field.
class OpenpmdDescriber final : public Describer, public OpaqueReader, public Repairer, public StepRemover {
 public:
  OpenpmdDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const CheckedOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return entries_.size(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override { return entry(index).number; }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] DescriberCapabilities capabilities() override {
    return {.looks_ahead = true, .opaque = this, .repairer = this, .remover = this};
  }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  [[nodiscard]] Publication repair() override { return file_->repair(); }
  [[nodiscard]] Publication drop(std::span<const std::int64_t> numbers) override;
  [[nodiscard]] const SeriesPaths& paths() const noexcept { return paths_; }

 private:
  void describe_file();
  [[nodiscard]] const IterationEntry& entry(std::uint64_t index) const;
  [[nodiscard]] StepLayout describe_step(const IterationEntry& iteration);
  void add_particles(const RecordScope& iteration, const std::vector<std::string>& defaults, StepLayout& step);
  void add_meshes(const RecordScope& iteration, StepLayout& step);
  template <class Work>
  auto guarded(Work&& work);

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  Unwritten unwritten_ = Unwritten::refused;
  bool uses_patches_ = true;
  std::shared_ptr<OpenFile> file_;
  KeptDatasets kept_;
  SeriesPaths paths_;
  std::vector<IterationEntry> entries_;
  FileDescription description_;
  std::uint64_t described_index_ = 0;
  std::optional<StepLayout> described_;  ///< the most recently described step
  OpaqueObjects opaque_;                 ///< of that step
};

}  // namespace quire::hdf5
