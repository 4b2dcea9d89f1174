// The parallel HDF5 library itself: in a group for each step, a data set for each column, component or variable. Their
// names are those of the columns of the library, which reads these files and whose files are read.

#include <hdf5.h>

#include "driver/scratch.hpp"
#include "driver/share_targets.hpp"
#include "peers/hdf5_calls.hpp"

namespace quire::bench {
namespace {

using peers::checked;
using peers::Handle;

std::string group_name(std::uint64_t step) { return "Step#" + std::to_string(step); }
std::string set_name(std::size_t quantity) { return "c" + std::to_string(quantity); }

/// Elements whose coefficients are one block in the file and in memory: neighbours of one order.
bool is_block(const Case& data) {
  return data.kind == Case::Kind::elements && data.modes.size() == 1 && data.distribution == "contiguous";
}

std::uint64_t coefficients_of(const Case& data) { return data.modes[0] * data.modes[0] * data.modes[0]; }

std::vector<hsize_t> extents_of(const Case& data) {
  if (data.kind == Case::Kind::field) return {data.extents.begin(), data.extents.end()};
  return {data.kind == Case::Kind::table ? data.rows : data.elements * coefficients_of(data)};
}

Hyperslab slab_of(const Share& share) {
  if (share.data.kind != Case::Kind::elements) return share.slab();
  return {{share.groups.front().ids.front() * coefficients_of(share.data)}, {1}, {share.items}, {1}};
}

/// Selects a rank's part of a data set.
void select(hid_t space, const Share& share) {
  if (share.items == 0) {
    checked(H5Sselect_none(space), "select nothing");
    return;
  }
  const Hyperslab slab = slab_of(share);
  const std::vector<hsize_t> start(slab.start.begin(), slab.start.end());
  const std::vector<hsize_t> stride(slab.stride.begin(), slab.stride.end());
  const std::vector<hsize_t> count(slab.count.begin(), slab.count.end());
  checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), nullptr), "select");
}

/// The value of an option, and the options that there are.
std::string option_of(const CellMethod& method, const std::string& name, const std::string& preset) {
  for (const auto& [key, value] : method.options) {
    if (key != "alignment" && key != "datasets") {
      throw Error(ErrorKind::usage, "parallel HDF5 has no option \"" + key + "\"").advise("alignment, datasets");
    }
  }
  const auto found = method.options.find(name);
  return found == method.options.end() ? preset : found->second;
}

class Hdf5Engine final : public ShareEngine {
 public:
  explicit Hdf5Engine(Task given)
      : ShareEngine(std::move(given), ShareMemory::Order::apart),
        // The alignment of the library's own files.
        access_(peers::parallel_access(comm(), std::stoull(option_of(task().method, "alignment", "4096")))),
        transfer_(peers::transfer_list(task().method.transfer == "collective")),
        in_turn_(option_of(task().method, "datasets", "together") == "in turn") {
    if (!is_block(cell().data)) require_doubles();
  }

  void write(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] {
      file = {H5Fcreate((folder + "/data.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose,
              "create the file"};
    });
    write_all(file, trial, made_group, [&](hid_t group, std::size_t q) { return made(group, q); });
  }
  void rewrite(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] { file = opened(folder, H5F_ACC_RDWR); });
    write_all(file, trial, found_group, found);
  }
  void read(const std::string& folder, Trial& trial) override {
    Handle file;
    trial.time(Phase::create, [&] { file = opened(folder, H5F_ACC_RDONLY); });
    for (std::uint64_t s = 0; s < steps(); ++s) {
      const Handle group = found_group(file, s);
      const ShareMemory& memory = targets().of_step(s);
      move(
          memory, targets().wanted(), trial, [&](std::size_t q) { return found(group, q); },
          [&](std::size_t q, hid_t set, hid_t items, hid_t space) {
            checked(H5Dread(set, H5T_NATIVE_DOUBLE, items, space, transfer_, memory.quantity(q).data()),
                    "read a data set");
          });
    }
    trial.time(Phase::close, [&] { file.close("close the file"); });
  }

 private:
  [[nodiscard]] Handle opened(const std::string& folder, unsigned flags) const {
    return {H5Fopen(only_file_in(folder).c_str(), flags, access_), H5Fclose, "open the file"};
  }

  [[nodiscard]] static Handle made_group(hid_t file, std::uint64_t step) {
    return {H5Gcreate2(file, group_name(step).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
            "create a group"};
  }
  [[nodiscard]] static Handle found_group(hid_t file, std::uint64_t step) {
    return {H5Gopen2(file, group_name(step).c_str(), H5P_DEFAULT), H5Gclose, "open a group"};
  }

  [[nodiscard]] Handle made(hid_t group, std::size_t quantity) const {
    const std::vector<hsize_t> extents = extents_of(cell().data);
    const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose,
                       "make a data space");
    const Handle creation = peers::unfilled_creation();
    return {H5Dcreate2(group, set_name(quantity).c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
            H5Dclose, "create a data set"};
  }
  [[nodiscard]] static Handle found(hid_t group, std::size_t quantity) {
    return {H5Dopen2(group, set_name(quantity).c_str(), H5P_DEFAULT), H5Dclose, "open a data set"};
  }

  /// Calls `use(quantity, data set, memory space, file space)` for each of the data sets that `prepare(quantity)`
  /// returns: all of a step, or one after the other.
  template <class Prepare, class Use>
  void move(const ShareMemory& memory, std::size_t quantities, Trial& trial, const Prepare& prepare,
            const Use& use) const {
    const hsize_t count = memory.share().items;
    const Handle items(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a data space");
    const std::size_t at_once = in_turn_ ? 1 : quantities;
    for (std::size_t first = 0; first < quantities; first += at_once) {
      std::vector<Handle> sets;
      trial.time(Phase::metadata, [&] {
        for (std::size_t q = first; q < first + at_once; ++q) sets.push_back(prepare(q));
      });
      trial.time(Phase::data, [&] {
        const Handle space(H5Dget_space(sets.front()), H5Sclose, "look at a data set");
        select(space, memory.share());
        for (std::size_t q = first; q < first + at_once; ++q) use(q, sets[q - first], items, space);
      });
      trial.time(Phase::metadata, [&] { sets.clear(); });
    }
  }

  /// Writes all steps to the data sets that `prepare(group, quantity)` returns, and closes the file.
  template <class Group, class Prepare>
  void write_all(Handle& file, Trial& trial, const Group& group_of, const Prepare& prepare) {
    for (std::uint64_t s = 0; s < steps(); ++s) {
      Handle group;
      compute(trial);
      trial.time(Phase::metadata, [&] { group = group_of(file, s); });
      move(
          source(), source().share().quantities(), trial, [&](std::size_t q) { return prepare(group, q); },
          [&](std::size_t q, hid_t set, hid_t items, hid_t space) {
            checked(H5Dwrite(set, H5T_NATIVE_DOUBLE, items, space, transfer_, source().quantity(q).data()),
                    "write a data set");
          });
      trial.time(Phase::metadata, [&] { group.close("close a group"); });
    }
    trial.time(Phase::close, [&] { file.close("close the file"); });
  }

  Handle access_;
  Handle transfer_;
  bool in_turn_;  ///< each data set is created, written and closed before the next one
};

}  // namespace

std::unique_ptr<Engine> make_hdf5_engine(Task task) { return std::make_unique<Hdf5Engine>(std::move(task)); }

}  // namespace quire::bench
