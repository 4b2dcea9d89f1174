// The classic netCDF format by PnetCDF: tables as variables of one dimension, fields as variables of their own.

#include <pnetcdf.h>

#include "driver/share_targets.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/mpi.hpp"

namespace quire::bench {
namespace {

void require(int code, const std::string& action) {
  if (code != NC_NOERR) throw Error(ErrorKind::io, "cannot " + action + ": " + ncmpi_strerror(code));
}

/// A rank's part of a variable, as PnetCDF asks for it: first the step.
struct Region {
  std::vector<MPI_Offset> start{0};
  std::vector<MPI_Offset> count{1};
  std::vector<MPI_Offset> stride{1};

  explicit Region(const Share& share) {
    const Hyperslab slab = share.slab();
    for (std::size_t axis = 0; axis < slab.start.size(); ++axis) {
      start.push_back(static_cast<MPI_Offset>(slab.start[axis]));
      count.push_back(static_cast<MPI_Offset>(slab.count[axis]));
      stride.push_back(static_cast<MPI_Offset>(slab.stride[axis]));
    }
  }
};

class PnetcdfEngine final : public ShareEngine {
 public:
  explicit PnetcdfEngine(Task given)
      : ShareEngine(std::move(given), ShareMemory::Order::apart), together_(task().method.transfer == "collective") {
    require_doubles();
  }

  void write(const std::string& folder, Trial& trial) override {
    int file = -1;
    const std::string path = folder + "/data.nc";
    trial.time(Phase::create, [&] {
      require(ncmpi_create(mpi_handle(comm()), path.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file),
              "create " + path);
    });
    trial.time(Phase::metadata, [&] { define(file); });
    write_all(file, trial);
  }
  void rewrite(const std::string& folder, Trial& trial) override {
    int file = -1;
    trial.time(Phase::create, [&] { file = opened(folder, NC_WRITE); });
    write_all(file, trial);
  }
  void read(const std::string& folder, Trial& trial) override {
    int file = -1;
    trial.time(Phase::create, [&] { file = opened(folder, NC_NOWRITE); });
    trial.time(Phase::data, [&] {
      for (std::uint64_t s = 0; s < steps(); ++s) {
        move(file, s, targets().of_step(s), targets().wanted(),
             [&](int variable, const Region& region, std::span<std::byte> values) {
               auto* to = reinterpret_cast<double*>(values.data());
               const auto get = together_ ? ncmpi_get_vars_double_all : ncmpi_get_vars_double;
               require(get(file, variable, region.start.data(), region.count.data(), region.stride.data(), to), "read");
             });
      }
    });
    trial.time(Phase::close, [&] { require(ncmpi_close(file), "close"); });
  }

 private:
  int opened(const std::string& folder, int mode) {
    int file = -1;
    const std::string path = folder + "/data.nc";
    require(ncmpi_open(mpi_handle(comm()), path.c_str(), mode, MPI_INFO_NULL, &file), "open " + path);
    return file;
  }

  void define(int file) const {
    const Case& data = cell().data;
    const auto extents = data.kind == Case::Kind::field ? data.extents : std::vector<std::uint64_t>{data.rows};
    std::vector<int> dimensions(extents.size() + 1);
    require(ncmpi_def_dim(file, "step", static_cast<MPI_Offset>(data.steps), dimensions.data()), "define a dimension");
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::string name = "axis" + std::to_string(axis);
      require(ncmpi_def_dim(file, name.c_str(), static_cast<MPI_Offset>(extents[axis]), &dimensions[axis + 1]),
              "define a dimension");
    }
    for (std::size_t q = 0; q < source().share().quantities(); ++q) {
      int variable = -1;
      const std::string name = "q" + std::to_string(q);
      require(ncmpi_def_var(file, name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()), dimensions.data(),
                            &variable),
              "define a variable");
    }
    require(ncmpi_enddef(file), "end the definitions");
  }

  /// Calls `use(variable, region, memory)` for each of the first quantities.
  template <class Use>
  void move(int file, std::uint64_t step, const ShareMemory& memory, std::size_t quantities, const Use& use) {
    Region region(memory.share());
    region.start[0] = static_cast<MPI_Offset>(step);
    if (!together_) require(ncmpi_begin_indep_data(file), "begin independent calls");
    for (std::size_t q = 0; q < quantities; ++q) use(static_cast<int>(q), region, memory.quantity(q));
    if (!together_) require(ncmpi_end_indep_data(file), "end independent calls");
  }

  void write_all(int file, Trial& trial) {
    const auto put = [&](int variable, const Region& region, std::span<std::byte> values) {
      const auto* from = reinterpret_cast<const double*>(values.data());
      const auto write = together_ ? ncmpi_put_vars_double_all : ncmpi_put_vars_double;
      require(write(file, variable, region.start.data(), region.count.data(), region.stride.data(), from), "write");
    };
    write_each(trial, [&](std::uint64_t s) { move(file, s, source(), source().share().quantities(), put); });
    trial.time(Phase::close, [&] { require(ncmpi_close(file), "close"); });
  }

  bool together_;
};

}  // namespace

std::unique_ptr<Engine> make_pnetcdf_engine(Task task) { return std::make_unique<PnetcdfEngine>(std::move(task)); }

}  // namespace quire::bench
