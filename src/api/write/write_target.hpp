#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/format/options.hpp"
#include "transport/compress_file.hpp"
#include "transport/write_lock.hpp"

namespace quire {

/// Where a file is written, and how it comes to its place: at once under its name, or beside it until it is complete.
///
/// Beside it a file has all guarantees of steps; under the name of the target nothing is seen before the end, and what
/// stood there stays. So compressed files are written (PATH.plain), and those that shall replace others as a whole
/// (transport/replacement.hpp).
class WriteTarget {
 public:
  WriteTarget() = default;
  /// What path and options ask for; takes its options out of those of the format's writer. Throws usage errors.
  WriteTarget(const std::string& path, Options& options);

  [[nodiscard]] bool is_compressed() const noexcept { return choice_.compression != Compression::none; }
  /// Whether the new one takes the place of the old one only when it is complete, durable, and not given up.
  [[nodiscard]] bool replaces_whole() const noexcept { return replaces_whole_; }
  /// Whether what was written is dropped if a rank gives it up, with the steps that were committed.
  [[nodiscard]] bool counts_when_whole() const noexcept { return replaces_whole_ || is_asked_whole_; }
  /// Whether checksums of what is written are kept beside it.
  [[nodiscard]] bool keeps_sums() const noexcept { return keeps_sums_; }
  [[nodiscard]] std::string_view compression() const noexcept { return name(choice_.compression); }
  /// What the path leads to, if something beside it is written.
  [[nodiscard]] const std::string& target() const noexcept { return target_; }
  /// The path to write: beside the target, or the target itself.
  [[nodiscard]] const std::string& written() const noexcept { return written_; }

  /// Independent, rank 0. Finishes what an interrupted replacement left, lest it should later take the place of what is
  /// written now, decides whether what is there is replaced as a whole if the options leave that open, and makes room
  /// beside the target if so. Throws errors that would come only at the end otherwise, and conflict errors while
  /// somebody writes what is there. Returns the lock on what is written over, which keeps those on what is replaced at
  /// the end. `is_one_step`: what is to be written is all that a file of its format holds; `is_set`: it may be one of
  /// several files.
  [[nodiscard]] WriteLock prepare(const WritePlanner& planner, bool is_one_step, bool is_set);
  /// Independent. What rank 0 decided: writes beside what the path leads to.
  void replace_whole(const std::string& target);
  /// Independent. Throws usage errors if a set of files is to be compressed, for only one file is, and conflict errors
  /// if one is to take its place through a symbolic link: its members would stand beside what the link leads to, and
  /// who reads the link looks for them beside the link.
  void require_place_for_set() const;
  /// Collective. Puts what was written, which nobody writes any more, in the place of the target. Every rank returns or
  /// throws the same error; what was written then stays where it is. Rank 0 has locked what it wrote and what it
  /// replaces, and hears what take_place() returns.
  std::vector<std::string> complete(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock,
                                    const WritePlanner& planner);
  /// Independent, rank 0. Puts what was written, all of it durable, in the place of the target. Files of an older set
  /// that the new one does not have go. Throws conflict errors if what it wrote and has locked is not there any more,
  /// or the place holds files of others or one that somebody writes, and io errors that tell what stands where:
  /// is_taking_place() tells whether the old one stays or `recover` finishes what was interrupted. Returns sentences
  /// about what could not be tidied up.
  std::vector<std::string> take_place(const WriteLock& lock, const WritePlanner& planner) const;
  /// Independent. Whether the new one counts already, and is not in its place.
  [[nodiscard]] bool is_taking_place() const;
  /// Independent, rank 0. Forgets what was written to replace the target as a whole.
  void discard(const WriteLock& lock) const;

 private:
  /// Whether a checkpoint would be lost if the new one never became complete.
  [[nodiscard]] bool is_worth_keeping(const WritePlanner& planner, bool is_set) const;
  /// Throws conflict errors if what was written and is locked is not there any more, or the place holds files of
  /// others, and io errors if it is a directory that has become write-protected.
  void require_place(const WriteLock& lock, const WritePlanner& planner) const;
  void compress(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock) const;
  void replace(const std::string& compressed, bool durable, const WriteLock& lock) const;

  std::string path_{};
  std::string target_{};
  std::string written_{};
  CompressionChoice choice_{};
  bool replaces_whole_ = false;
  bool is_asked_whole_ = false;  ///< by the options, also of a compressed file, which is never staged
  bool is_open_ = false;         ///< whether it replaces as a whole is for rank 0 to decide
  bool keeps_sums_ = false;
};

/// Where a compressed file is written until it is complete.
[[nodiscard]] std::string plain_path(const std::string& target);

/// Independent, rank 0. Finishes a replacement that was interrupted, or drops what its writer left, such as a part of
/// checksums; returns whether there was anything. Throws conflict errors while a writer is at work there.
bool finish_replacing(const std::string& path);

}  // namespace quire
