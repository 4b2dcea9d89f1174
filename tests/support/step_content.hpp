#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quire/quire.hpp"

namespace quire::test {

/// A whole step in memory, to be compared or written again.
class StepContent {
 public:
  /// All contents of a step, of streams the first 64 KiB; none if it has more than this number of values or streams.
  /// Throws the errors of reading.
  [[nodiscard]] static std::optional<StepContent> of(const ReadStep& step, std::uint64_t most_values);

  [[nodiscard]] const StepDescription& description() const noexcept { return description_; }
  /// Whether it has no value at all.
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] bool operator==(const StepContent& other) const;

  /// Puts the objects of `adapted`, the result of Format::fit() for the description: all at once, or declared and then
  /// written in two blocks. This object must live until the commit.
  void put(WriteStep& step, const StepDescription& adapted, bool in_blocks) const;

 private:
  struct Stream {
    StreamOptions options;
    std::vector<std::byte> bytes;
    std::vector<StreamRecord> records;  ///< in these bytes, if streams have records
  };

  void read_tables(const ReadStep& step);
  void read_fields(const ReadStep& step);
  void read_streams(const ReadStep& step);
  [[nodiscard]] View room(Type type, std::uint64_t count);
  [[nodiscard]] ConstView view(std::size_t object, Type type) const;

  StepDescription description_;
  std::deque<std::vector<std::byte>> numbers_;  ///< of each column, then of each component of each field
  std::deque<PackedStrings> strings_;           ///< the same for strings
  std::vector<Stream> streams_;
};

}  // namespace quire::test
