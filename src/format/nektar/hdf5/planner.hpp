#pragma once

#include <array>
#include <memory>
#include <vector>

#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/planning/placing.hpp"
#include "format/nektar/one_step.hpp"
#include "format/nektar/type_names.hpp"

namespace quire::nektar {

/// Plans and publishes fields in one HDF5 file (specs/nektar-fld.md section 5). The part of a rank in each dataset
/// follows from the sums of a few sizes over the lower ranks; each rank writes its own rows of the decomposition.
class H5Planner final : public OneStepPlanner {
 public:
  H5Planner(Rules rules, hdf5::Alignment alignment) : OneStepPlanner(std::move(rules)), alignment_(alignment) {}

  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  /// The number of ranks with blocks, the entries in each dataset, and for each number of blocks how many ranks have
  /// more.
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return writer_.published_end(); }
  [[nodiscard]] Publication finish() override;

 private:
  /// A one-dimensional dataset.
  struct Line {
    const char* name = nullptr;
    Type type = Type::uint32;
    std::uint64_t count = 0;
    hdf5::PlannedSpace space;
  };
  /// All datasets in the order of the file, and the end of the last one.
  struct Lines {
    std::vector<Line> all;
    std::uint64_t end = 0;
    std::uint64_t rows_of_rank = 0;  ///< of the decomposition
    [[nodiscard]] const Line& named(std::string_view name) const;
  };
  [[nodiscard]] Lines lay_out(const StepDescription& step, const Measure& total) const;
  void write_structure(hid_t file, const StepDescription& step, const Lines& lines);

  hdf5::Alignment alignment_;
  hdf5::FileWriter writer_{hdf5::LibraryVersion::earliest};
};

}  // namespace quire::nektar
