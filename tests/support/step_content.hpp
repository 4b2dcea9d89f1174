#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quire/quire.hpp"

namespace quire::test {

/// The whole of a step in memory, to be compared or written again.
class StepContent {
 public:
  /// Everything in a step, of streams the first 64 KiB; nothing of one that has more than so many values or streams.
  /// Throws what reading throws.
  [[nodiscard]] static std::optional<StepContent> of(const ReadStep& step, std::uint64_t most_values);

  [[nodiscard]] const StepDescription& description() const noexcept { return description_; }
  /// Whether there is not one value in it.
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] bool operator==(const StepContent& other) const;

  /// Puts what is in `adapted`, which Format::fit() made of the description: all at once, or declared and then written
  /// in two blocks. This object must live until the commit.
  void put(WriteStep& step, const StepDescription& adapted, bool in_blocks) const;

 private:
  struct Stream {
    StreamOptions options;
    std::vector<std::byte> bytes;
    std::vector<StreamRecord> records;  ///< in these bytes, where streams have any
  };

  void read_tables(const ReadStep& step);
  void read_fields(const ReadStep& step);
  void read_streams(const ReadStep& step);
  [[nodiscard]] View room(Type type, std::uint64_t count);
  [[nodiscard]] ConstView view(std::size_t object, Type type) const;

  StepDescription description_;
  std::deque<std::vector<std::byte>> numbers_;  ///< of each column, then of each component of each field
  std::deque<PackedStrings> strings_;           ///< the same where they are strings
  std::vector<Stream> streams_;
};

}  // namespace quire::test
