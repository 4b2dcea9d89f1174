#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "transport/compress_file.hpp"
#include "transport/write_lock.hpp"

namespace quire {

/// Where a file is written, and how it gets to its place: directly under its name, or next to it until it is complete.
///
/// In both cases the file has all guarantees of steps. A file written next to the target is invisible under the name of
/// the target before the end, and the previous file stays. This is used for compressed files (PATH.plain), and for
/// files that replace others as a whole (transport/replacement.hpp).
class WriteTarget {
 public:
  WriteTarget() = default;
  /// From path and options; removes its options from those of the format's writer. Throws usage errors.
  WriteTarget(const std::string& path, Options& options);

  [[nodiscard]] bool is_compressed() const noexcept { return choice_.compression != Compression::none; }
  /// Whether the new file replaces the old one only when it is complete, durable, and not abandoned.
  [[nodiscard]] bool replaces_whole() const noexcept { return replaces_whole_; }
  /// Whether the file, with its committed steps, is dropped if a rank abandons it.
  [[nodiscard]] bool counts_when_whole() const noexcept { return replaces_whole_ || is_asked_whole_; }
  /// Whether checksums of the written bytes are kept next to the file.
  [[nodiscard]] bool keeps_sums() const noexcept { return keeps_sums_; }
  /// Whether limits of blocks of rows are kept in an index next to the file, if it can have one,
  [[nodiscard]] bool keeps_limits() const noexcept { return keeps_limits_; }
  /// and whether the caller asked for them: also for small tables, and with a remark if there are none.
  [[nodiscard]] bool asks_for_limits() const noexcept { return asks_for_limits_; }
  [[nodiscard]] std::string_view compression() const noexcept { return name(choice_.compression); }
  /// The target of the path, if another file is written first.
  [[nodiscard]] const std::string& target() const noexcept { return target_; }
  /// The path to write: next to the target, or the target itself.
  [[nodiscard]] const std::string& written() const noexcept { return written_; }

  /// Independent, rank 0. Finishes an interrupted replacement, which could otherwise replace this file later; decides
  /// whether the previous file is replaced as a whole if the options leave that open, and prepares the place next to
  /// the target if so. Throws errors that would otherwise occur only at the end, and conflict errors while another
  /// writer has the file open. Returns the lock on the file that is written, which includes those on files that are
  /// replaced at the end. `is_one_step`: the format holds only one step per file; `is_set`: it may be one of several
  /// files.
  [[nodiscard]] WriteLock prepare(const FileSetNames* set, bool is_one_step, bool is_set);
  /// Independent. Follows the decision of rank 0: writes next to the target of the path.
  void replace_whole(const std::string& target);
  /// Independent. Throws usage errors if a set of files is to be compressed, because only one file can be, and conflict
  /// errors if it is to replace another one through a symbolic link: its members would be next to the target of the
  /// link, but readers of the link look for them next to the link.
  void require_place_for_set() const;
  /// Collective. Moves the complete file, which no rank writes any more, to the place of the target. Every rank returns
  /// or throws the same error; after an error the file stays where it is. Rank 0 has locked the written file and those
  /// that it replaces, and gets the result of take_place().
  std::vector<std::string> complete(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock,
                                    const FileSetNames* set);
  /// Independent, rank 0. Moves the complete and durable file to the place of the target. Files of an older set that
  /// the new one does not have are removed. Throws conflict errors if the locked file does not exist any more, or the
  /// place holds files of others or one that is being written, and io errors that state which file is where:
  /// is_taking_place() is whether `recover` finishes the interrupted replacement, otherwise the old file stays. Returns
  /// sentences about what could not be removed.
  std::vector<std::string> take_place(const WriteLock& lock, const FileSetNames* set) const;
  /// Independent. Whether the new file is the valid one already, but not in its place.
  [[nodiscard]] bool is_taking_place() const;
  /// Independent, rank 0. Removes a file that was to replace the target as a whole.
  void discard(const WriteLock& lock) const;

 private:
  /// Whether a checkpoint would be lost if the new file never became complete.
  [[nodiscard]] bool is_worth_keeping(const FileSetNames* set, bool is_set) const;
  /// Throws conflict errors if the locked file does not exist any more, or the place holds files of others, and io
  /// errors if it is a directory that has become write-protected.
  void require_place(const WriteLock& lock, const FileSetNames* set) const;
  void compress(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock) const;
  void replace(const std::string& compressed, bool durable, const WriteLock& lock) const;

  std::string path_{};
  std::string target_{};
  std::string written_{};
  CompressionChoice choice_{};
  bool replaces_whole_ = false;
  bool is_asked_whole_ = false;  ///< by the options, also for a compressed file, which is never staged
  bool is_open_ = false;         ///< rank 0 decides whether it replaces as a whole
  bool keeps_sums_ = false;
  bool keeps_limits_ = false;
  bool asks_for_limits_ = false;
};

/// The path of a compressed file until it is complete.
[[nodiscard]] std::string plain_path(const std::string& target);

/// Independent, rank 0. Finishes a replacement that was interrupted, or removes what its writer left, such as partial
/// checksums; returns whether there was anything. Throws conflict errors while a writer is active there.
bool finish_replacing(const std::string& path);

}  // namespace quire
