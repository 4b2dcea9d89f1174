#include "format/h5/kept_dataset.hpp"

#include <cstddef>

namespace quire::h5 {

Handle open_with_cache(hid_t parent, const std::string& path, std::uint64_t cache_bytes) {
  const Handle list = own(H5Pcreate(H5P_DATASET_ACCESS), "make an access list");
  // Chunks of which nothing is left to be read go first.
  constexpr double read_ones_first = 1.0;
  // Without one that lives from request to request the library still has its own preset while it reads for one.
  if (cache_bytes > 0) {
    require(H5Pset_chunk_cache(list.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, static_cast<std::size_t>(cache_bytes),
                               read_ones_first),
            "set the size of the chunk cache", path);
  }
  return own(H5Dopen2(parent, path.c_str(), list.id()), "open the data set", path);
}

KeptDataset::~KeptDataset() {
  const Quiet quiet;
  close();
}

void KeptDataset::close() noexcept {
  dataset_.release();
  key_.clear();
  file_.reset();
}

void KeptDataset::read(const std::shared_ptr<OpenFile>& file, const std::string& key, hid_t parent,
                       const std::string& path, const std::function<void(hid_t)>& read) {
  if (file_ != file || key_ != key) {
    close();
    dataset_ = open_with_cache(parent, path, cache_bytes_);
    file_ = file;
    key_ = key;
  }
  try {
    read(dataset_.id());
  } catch (...) {
    close();
    throw;
  }
  if (cache_bytes_ == 0) close();
}

}  // namespace quire::h5
