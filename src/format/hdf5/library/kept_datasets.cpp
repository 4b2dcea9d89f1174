#include "format/hdf5/library/kept_datasets.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "format/hdf5/library/datasets.hpp"

namespace quire::hdf5 {
namespace {

/// Opens a dataset with a chunk cache of this size.
Handle open_with_cache(hid_t parent, const std::string& path, std::uint64_t cache_bytes) {
  const Handle list = own(H5Pcreate(H5P_DATASET_ACCESS), "create an access list");
  // Chunks that have been read completely are evicted first.
  constexpr double read_ones_first = 1.0;
  require(H5Pset_chunk_cache(list.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, static_cast<std::size_t>(cache_bytes),
                             read_ones_first),
          "set the size of the chunk cache", path);
  return own(H5Dopen2(parent, path.c_str(), list.id()), "open the dataset", path);
}

}  // namespace

KeptDatasets::~KeptDatasets() {
  const Quiet quiet;
  clear();
}

void KeptDatasets::clear() noexcept {
  kept_.clear();
  least_ = 0;
  file_.reset();
}

void KeptDatasets::drop(std::list<Kept>::iterator one) noexcept {
  least_ -= one->least;
  kept_.erase(one);
  if (kept_.empty()) file_.reset();
}

void KeptDatasets::add(const std::shared_ptr<OpenFile>& file, const std::string& key, std::uint64_t least) {
  while (least_ + least > most_bytes_) drop(std::prev(kept_.end()));
  kept_.push_front({.key = key, .least = least, .most = 0, .dataset = {}});
  least_ += least;
  file_ = file;
  // The size of the chunk cache of an open dataset cannot be reduced: it is opened again at the next read.
  for (Kept& other : kept_) {
    if (other.most > share_of(other)) other.dataset.release();
  }
}

void KeptDatasets::read(const std::shared_ptr<OpenFile>& file, const std::string& key, hid_t parent,
                        const std::string& path, const std::function<void(hid_t)>& read) {
  // Datasets of another file would keep its memory in use.
  if (file_ != file) clear();
  if (const auto known = std::ranges::find(kept_, key, &Kept::key); known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
  } else {
    Handle dataset = own(H5Dopen2(parent, path.c_str(), H5P_DEFAULT), "open the dataset", path);
    const std::uint64_t least = std::max(chunk_bytes(dataset.id(), path), least_bytes);
    // During one read the library uses its default cache size.
    if (least > most_bytes_) return read(dataset.id());
    dataset.release();
    add(file, key, least);
  }
  Kept& one = kept_.front();
  try {
    if (!one.dataset) {
      one.most = share_of(one);
      one.dataset = open_with_cache(parent, path, one.most);
    }
    read(one.dataset.id());
  } catch (...) {
    drop(kept_.begin());
    throw;
  }
}

}  // namespace quire::hdf5
