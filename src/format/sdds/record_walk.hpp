#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/sdds/need.hpp"
#include "quire/model/type.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::sdds {

/// The length before each string of a binary page.
inline constexpr std::uint64_t length_bytes = sizeof(std::int32_t);

/// The size of a value in a binary page without the characters of a string.
[[nodiscard]] std::uint64_t fixed_bytes(Type type) noexcept;

/// Walks over records of variable size, from string length to string length, and marks the beginning of every n-th
/// record.
class RecordWalk {
 public:
  /// `run` has offset, records, order and cells; marks and bytes are found. `file_size` bounds every length.
  RecordWalk(Run run, std::uint64_t file_size);

  /// Continues with the bytes of the window. Nothing: all records are found.
  /// Throws bad_file errors for negative lengths and for records beyond the end of the file.
  [[nodiscard]] std::optional<Need> advance(const Window& window);

  /// The run with the records found so far.
  [[nodiscard]] Run found() const;
  [[nodiscard]] std::uint64_t end() const noexcept { return record_begin_; }

 private:
  Run run_;
  std::uint64_t file_size_;
  std::vector<std::uint64_t> gaps_;  ///< bytes before each string of a record
  std::uint64_t tail_ = 0;           ///< bytes after the last string
  std::uint64_t record_ = 0;         ///< complete ones
  std::uint64_t record_begin_ = 0;
  std::size_t string_ = 0;      ///< the next string of the current record
  std::uint64_t position_ = 0;  ///< after the last string
};

/// The maximum number of marks in a run of records of variable size.
inline constexpr std::size_t most_marks = 4096;

/// The smallest power of two for which at most `most_marks` marks cover all records.
[[nodiscard]] std::uint64_t mark_distance(std::uint64_t records) noexcept;

/// The part of a run with the first `records` records, which end at `end`.
[[nodiscard]] Run walked_part(Run run, std::uint64_t records, std::uint64_t end);

}  // namespace quire::sdds
