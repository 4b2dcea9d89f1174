#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "format/h5/hdf5.hpp"
#include "format/h5/open_file.hpp"

namespace quire::h5 {

/// Data sets of one file that the library has read for us. They stay open, for the chunks that the library has decoded
/// of them live no longer. All of them together keep no more than they may: each as many whole chunks as the others,
/// one at least. What was not read for the longest time is closed first.
class KeptDatasets {
 public:
  /// What is known of an open data set takes memory, too: so many bytes are counted for those of smaller chunks, and of
  /// none.
  static constexpr std::uint64_t least_bytes = 1 << 14;

  /// 0: nothing stays open.
  explicit KeptDatasets(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  KeptDatasets(const KeptDatasets&) = delete;
  KeptDatasets& operator=(const KeptDatasets&) = delete;
  ~KeptDatasets();

  /// Runs `read` on a data set, found under `path` from `parent` on, of an open file. The path from the root, `key`,
  /// tells whether it is one that is open already. Throws what `read` throws, and bad_file errors; then this data set
  /// is not kept.
  void read(const std::shared_ptr<OpenFile>& file, const std::string& key, hid_t parent, const std::string& path,
            const std::function<void(hid_t)>& read);

 private:
  struct Kept {
    std::string key;
    std::uint64_t least = 0;  ///< bytes that one chunk takes
    std::uint64_t most = 0;   ///< bytes that the library may take, as long as it is open
    Handle dataset;
  };

  /// Adds one as the first and makes room for it.
  void add(const std::shared_ptr<OpenFile>& file, const std::string& key, std::uint64_t least);
  void drop(std::list<Kept>::iterator one) noexcept;
  void clear() noexcept;
  /// What one of them may take beside the others.
  [[nodiscard]] std::uint64_t share_of(const Kept& one) const noexcept { return one.least * (most_bytes_ / least_); }

  std::uint64_t most_bytes_;
  std::uint64_t least_ = 0;  ///< of all that are kept
  std::shared_ptr<OpenFile> file_;
  std::list<Kept> kept_;  ///< the one that was read last comes first; closed before the file
};

}  // namespace quire::h5
