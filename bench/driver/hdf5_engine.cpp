// The parallel HDF5 library itself: in a group for each step, a data set for each column or component.

#include <hdf5.h>

#include "driver/share_targets.hpp"
#include "peers/hdf5_calls.hpp"

namespace quire::bench {
namespace {

using peers::checked;
using peers::Handle;

/// The alignment of long data sets: that of the library's own files.
constexpr std::uint64_t alignment = 4096;

std::string set_name(std::uint64_t step, std::size_t quantity) {
  return "Step#" + std::to_string(step) + "/q" + std::to_string(quantity);
}

/// Selects a rank's part of a data set.
void select(hid_t space, const Share& share) {
  if (share.items == 0) {
    checked(H5Sselect_none(space), "select nothing");
    return;
  }
  const Hyperslab slab = share.slab();
  const std::vector<hsize_t> start(slab.start.begin(), slab.start.end());
  const std::vector<hsize_t> stride(slab.stride.begin(), slab.stride.end());
  const std::vector<hsize_t> count(slab.count.begin(), slab.count.end());
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), nullptr), "select");
}

class Hdf5Engine final : public ShareEngine {
 public:
  explicit Hdf5Engine(Task given)
      : ShareEngine(std::move(given), ShareMemory::Order::apart),
        access_(peers::parallel_access(comm(), alignment)),
        transfer_(peers::transfer_list(task().method.transfer == "collective")) {
    require_doubles();
  }

  void write(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] {
      file = {H5Fcreate(path_in(folder).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose, "create the file"};
    });
    write_all(file, trial, [&](std::uint64_t step) { return made(file, step); });
  }
  void rewrite(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] { file = opened(folder, H5F_ACC_RDWR); });
    const std::size_t quantities = source().share().quantities();
    write_all(file, trial, [&](std::uint64_t step) { return found(file, step, quantities); });
  }
  void read(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] { file = opened(folder, H5F_ACC_RDONLY); });
    for (std::uint64_t s = 0; s < steps(); ++s) {
      std::vector<Handle> sets;
      trial.time(Phase::metadata, [&] { sets = found(file, s, targets().wanted()); });
      trial.time(Phase::data, [&] {
        move(sets, targets().of_step(s), [&](hid_t set, hid_t memory, hid_t space, std::byte* to) {
          checked(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, transfer_, to), "read a data set");
        });
      });
    }
    trial.time(Phase::close, [&] { file.close("close the file"); });
  }

 private:
  [[nodiscard]] static std::string path_in(const std::string& folder) { return folder + "/data.h5"; }

  [[nodiscard]] Handle opened(const std::string& folder, unsigned flags) const {
    return {H5Fopen(path_in(folder).c_str(), flags, access_), H5Fclose, "open the file"};
  }

  /// The data sets of a step that is created.
  [[nodiscard]] std::vector<Handle> made(hid_t file, std::uint64_t step) const {
    const Case& data = cell().data;
    const std::vector<hsize_t> extents = data.kind == Case::Kind::field
                                             ? std::vector<hsize_t>(data.extents.begin(), data.extents.end())
                                             : std::vector<hsize_t>{data.rows};
    const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose,
                       "make a data space");
    const Handle creation = peers::unfilled_creation();
    const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make a property list");
    checked(H5Pset_create_intermediate_group(groups, 1), "ask for groups");
    std::vector<Handle> sets;
    for (std::size_t q = 0; q < source().share().quantities(); ++q) {
      sets.emplace_back(
          H5Dcreate2(file, set_name(step, q).c_str(), H5T_NATIVE_DOUBLE, space, groups, creation, H5P_DEFAULT),
          H5Dclose, "create a data set");
    }
    return sets;
  }

  /// The first data sets of an existing step.
  [[nodiscard]] static std::vector<Handle> found(hid_t file, std::uint64_t step, std::size_t quantities) {
    std::vector<Handle> sets;
    for (std::size_t q = 0; q < quantities; ++q) {
      sets.emplace_back(H5Dopen2(file, set_name(step, q).c_str(), H5P_DEFAULT), H5Dclose, "open a data set");
    }
    return sets;
  }

  /// Calls `use(data set, memory space, file space, values)` for each data set.
  template <class Use>
  static void move(const std::vector<Handle>& sets, const ShareMemory& memory, const Use& use) {
    const hsize_t items = memory.share().items;
    const Handle packed(H5Screate_simple(1, &items, nullptr), H5Sclose, "make a data space");
    const Handle space(H5Dget_space(sets.front()), H5Sclose, "look at a data set");
    select(space, memory.share());
    for (std::size_t q = 0; q < sets.size(); ++q) use(sets[q], packed, space, memory.quantity(q).data());
  }

  /// Writes all steps to the data sets that `prepare` returns, and closes the file.
  template <class Prepare>
  void write_all(Handle& file, Trial& trial, const Prepare& prepare) const {
    for (std::uint64_t s = 0; s < steps(); ++s) {
      std::vector<Handle> sets;
      trial.time(Phase::metadata, [&] { sets = prepare(s); });
      trial.time(Phase::data, [&] {
        move(sets, source(), [&](hid_t set, hid_t memory, hid_t space, const std::byte* from) {
          checked(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer_, from), "write a data set");
        });
      });
    }
    trial.time(Phase::close, [&] { file.close("close the file"); });
  }

  Handle access_;
  Handle transfer_;
};

}  // namespace

std::unique_ptr<Engine> make_hdf5_engine(Task task) { return std::make_unique<Hdf5Engine>(std::move(task)); }

}  // namespace quire::bench
