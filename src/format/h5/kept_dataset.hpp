#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "format/h5/hdf5.hpp"
#include "format/h5/open_file.hpp"

namespace quire::h5 {

/// Opens a data set of which the library keeps so many bytes of decoded chunks as long as it is open.
[[nodiscard]] Handle open_with_cache(hid_t parent, const std::string& path, std::uint64_t cache_bytes);

/// The data set that the library has read last for us. It stays open, for the chunks that the library has decoded of it
/// live no longer.
class KeptDataset {
 public:
  explicit KeptDataset(std::uint64_t cache_bytes) : cache_bytes_(cache_bytes) {}
  KeptDataset(const KeptDataset&) = delete;
  KeptDataset& operator=(const KeptDataset&) = delete;
  ~KeptDataset();

  /// Runs `read` on a data set, found under `path` from `parent` on, of an open file. The path from the root, `key`,
  /// tells whether it is the one that is open already. Throws what `read` throws, and bad_file errors; then nothing
  /// is kept.
  void read(const std::shared_ptr<OpenFile>& file, const std::string& key, hid_t parent, const std::string& path,
            const std::function<void(hid_t)>& read);

 private:
  void close() noexcept;

  std::uint64_t cache_bytes_;
  std::shared_ptr<OpenFile> file_;
  std::string key_;
  Handle dataset_;  // closed before the file
};

}  // namespace quire::h5
