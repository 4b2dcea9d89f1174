#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/open_file.hpp"

namespace quire::hdf5 {

/// Datasets of one file that are read through the library. They are kept open, because closing them discards the chunk
/// cache. Their caches share a limit: each holds the same number of whole chunks, at least one. The least recently read
/// dataset is closed first.
class KeptDatasets {
 public:
  /// The least number of bytes counted for an open dataset, with smaller chunks or none, because it takes memory
  /// itself.
  static constexpr std::uint64_t least_bytes = 1 << 14;

  /// 0: no dataset is kept open.
  explicit KeptDatasets(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  KeptDatasets(const KeptDatasets&) = delete;
  KeptDatasets& operator=(const KeptDatasets&) = delete;
  ~KeptDatasets();

  /// Runs `read` on a dataset of an open file, found under `path` relative to `parent`. Its path from the root, `key`,
  /// identifies datasets that are already open. Throws what `read` throws, and bad_file errors; the dataset is then not
  /// kept.
  void read(const std::shared_ptr<OpenFile>& file, const std::string& key, hid_t parent, const std::string& path,
            const std::function<void(hid_t)>& read);

 private:
  struct Kept {
    std::string key;
    std::uint64_t least = 0;  ///< bytes that one chunk takes
    std::uint64_t most = 0;   ///< limit of its cache since it was opened
    Handle dataset;
  };

  /// Inserts a dataset at the front and makes room for it.
  void add(const std::shared_ptr<OpenFile>& file, const std::string& key, std::uint64_t least);
  void drop(std::list<Kept>::iterator one) noexcept;
  void clear() noexcept;
  /// The limit of the cache of one of the datasets.
  [[nodiscard]] std::uint64_t share_of(const Kept& one) const noexcept { return one.least * (most_bytes_ / least_); }

  std::uint64_t most_bytes_;
  std::uint64_t least_ = 0;  ///< of all that are kept
  std::shared_ptr<OpenFile> file_;
  std::list<Kept> kept_;  ///< most recently read first; closed before the file
};

}  // namespace quire::hdf5
