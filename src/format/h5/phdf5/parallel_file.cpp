// The only user of MPI outside the layers of MPI: parallel HDF5 needs a communicator to open a file.

#include "format/h5/phdf5/parallel_file.hpp"

#include <mpi.h>

namespace quire::h5 {
namespace {

MPI_Comm communicator_of(const EngineRanks& ranks) { return *static_cast<const MPI_Comm*>(ranks.communicator); }

/// Owns an MPI_Info with hints for MPI-IO.
class Hints {
 public:
  explicit Hints(const std::vector<std::pair<std::string, std::string>>& hints) {
    if (hints.empty()) return;
    MPI_Info_create(&info_);
    for (const auto& [name, value] : hints) MPI_Info_set(info_, name.c_str(), value.c_str());
  }
  ~Hints() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  [[nodiscard]] MPI_Info info() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

Error unreachable() { return {ErrorKind::io, "the ranks of the engine phdf5 cannot communicate"}; }

void reduce(std::span<std::uint64_t> words, MPI_Op operation, const EngineRanks& ranks) {
  if (MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, operation,
                    communicator_of(ranks)) != MPI_SUCCESS) {
    throw unreachable();
  }
}

}  // namespace

void FileRanks::maximum(std::span<std::uint64_t> words) const {
  if (use_mpi()) reduce(words, MPI_MAX, ranks_);
}

FileRanks::Votes FileRanks::count(bool yes) const {
  std::uint64_t words[] = {1, yes ? 1U : 0U};
  if (use_mpi()) reduce(words, MPI_SUM, ranks_);
  return {words[0], words[1]};
}

void FileRanks::share(std::vector<std::byte>& bytes) const {
  if (!use_mpi()) return;
  std::uint64_t size = bytes.size();
  const MPI_Comm comm = communicator_of(ranks_);
  const bool has_size = MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm) == MPI_SUCCESS;
  if (has_size) bytes.resize(static_cast<std::size_t>(size));
  if (has_size && (size == 0 || MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, comm) == MPI_SUCCESS))
    return;
  throw unreachable();
}

Handle FileRanks::access_list(const EngineSettings& settings) const {
  Handle list = own(H5Pcreate(H5P_FILE_ACCESS), "create a file access list");
  const hid_t id = list.id();
  if (use_mpi()) {
    const Hints hints(settings.hints);
    require(H5Pset_fapl_mpio(id, communicator_of(ranks_), hints.info()), "set the file driver");
    require(H5Pset_coll_metadata_write(id, settings.collective_metadata), "set how metadata are written");
    require(H5Pset_all_coll_metadata_ops(id, settings.collective_metadata), "set how metadata are read");
  }
  set_library_version(id, settings.version);
  require(H5Pset_fclose_degree(id, H5F_CLOSE_STRONG), "set the close degree");
  // The file is already locked, on rank 0: a serial HDF5 would fail to lock it again, and with MPI HDF5 does not lock.
  require(H5Pset_file_locking(id, false, true), "leave the file unlocked");
  require(H5Pset_alignment(id, settings.alignment.threshold, settings.alignment.multiple), "set the alignment");
  require(H5Pset_meta_block_size(id, settings.metadata_block), "set the size of metadata blocks");
  return list;
}

Handle FileRanks::transfer_list(bool is_collective) const {
  Handle list = own(H5Pcreate(H5P_DATASET_XFER), "create a transfer list");
  if (use_mpi()) {
    const H5FD_mpio_xfer_t mode = is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT;
    require(H5Pset_dxpl_mpio(list.id(), mode), "set the transfer");
  }
  return list;
}

}  // namespace quire::h5
