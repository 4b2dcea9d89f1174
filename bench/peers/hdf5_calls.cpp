#include "peers/hdf5_calls.hpp"

#include "quire/comm/mpi.hpp"

namespace quire::bench::peers {

Handle parallel_access(const Comm& comm, std::uint64_t alignment) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
  checked(H5Pset_fapl_mpio(access, mpi_handle(comm), MPI_INFO_NULL), "use MPI-IO");
  checked(H5Pset_all_coll_metadata_ops(access, true), "read metadata together");
  checked(H5Pset_coll_metadata_write(access, true), "write metadata together");
  if (alignment > 1) checked(H5Pset_alignment(access, 64 << 10, alignment), "align data sets");
  return access;
}

Handle transfer_list(bool is_collective) {
  Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make a property list");
  checked(H5Pset_dxpl_mpio(transfer, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT), "set the transfer");
  return transfer;
}

Handle unfilled_creation() {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  checked(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "switch filling off");
  checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "allocate early");
  return creation;
}

}  // namespace quire::bench::peers
