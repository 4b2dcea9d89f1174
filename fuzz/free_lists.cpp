// HDF5 allocates half a megabyte for each file that it opens, and gives it back to the system when the file is closed.
// The fuzzers let it keep this memory: they open several files for each input.

#include <hdf5.h>

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*words*/) {
  constexpr int no_limit = -1;
  return H5set_free_list_limits(no_limit, no_limit, no_limit, no_limit, no_limit, no_limit) < 0 ? 1 : 0;
}
