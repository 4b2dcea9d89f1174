#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/acceptance.hpp"
#include "format/nektar/xml/cuts.hpp"
#include "format/nektar/xml/text.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::nektar {

/// The text of the values of one block.
struct Payload {
  std::uint64_t length = 0;
  std::shared_ptr<const std::vector<std::byte>> text{};  ///< null: compressed again when it is written
};

/// The size of the blocks of a rank, and how much of their text is kept.
struct TextLimits {
  std::uint64_t largest_block = 0;
  /// Blocks are compressed when they are weighed, since their length is needed. This many bytes of the result are kept,
  /// so that checkpoints of usual size are compressed once; the others are compressed again when they are written.
  std::uint64_t kept = 0;
};

/// The rows of a rank, as they are weighed: the ids and orders of all elements, and the length of the text of each
/// block. Of each table at most the values of one block are held.
class XmlWeighing {
 public:
  XmlWeighing(const StepDescription& step, const TextLimits& limits);

  /// Adds rows of tables. Throws type errors, unless `lossy`, and usage errors for elements that are given twice.
  void add(const StepPart& part, bool lossy);
  /// Throws usage errors unless all elements of the step were added, with all of their coefficients.
  void require_all(const StepDescription& step) const;

  /// Prints all blocks, in the order of the specification (specs/nektar-fld.md section 3). `text` receives the text
  /// around the values, `payload` the values with their table and block.
  using TakeText = std::function<void(std::string_view)>;
  using TakePayload = std::function<void(const Payload&, std::size_t table, std::size_t block)>;
  void print(const StepDescription& step, const TakeText& text, const TakePayload& payload) const;
  /// The ids of all blocks as a list of ranges, for the index of a directory.
  [[nodiscard]] std::string ids_text() const;

  /// A gatherer for passing the rows of a table of coefficients a second time.
  [[nodiscard]] BlockGatherer new_gatherer(std::size_t table) const;

 private:
  struct Tables {
    BlockPair pair;
    ElementNumbers numbers{};
    std::uint64_t elements = 0;  ///< the expected number
    bool has_ids = true;         ///< false in a plan without data
    std::vector<std::string> variables{};
    std::vector<std::string> number_names{};
    std::optional<BlockGatherer> values{};  ///< set when the orders of the elements are known
    BlockValues waiting{};                  ///< the values received before
    std::vector<Payload> payloads{};
  };

  void add_elements(Tables& tables, const StepPart& part);
  void complete_elements(Tables& tables, const StepDescription& step) const;
  void add_values(Tables& tables, std::span<const ConstView> columns, bool lossy);
  [[nodiscard]] Payload payload_of(const BlockValues& values, std::span<const std::string> names, bool lossy);

  TextLimits limits_;
  std::uint64_t kept_ = 0;
  std::vector<Tables> tables_;
};

/// Creates the text of blocks that was not kept, from their values, which are passed a second time.
class XmlRows final : public WeighedRows {
 public:
  /// Sets the extent of the text of one of the weighed blocks.
  void expect(const XmlWeighing& weighing, std::size_t table, std::size_t block, const Extent& place);
  [[nodiscard]] bool is_needed() const noexcept { return !tables_.empty(); }

  void add(WritePlan& plan, std::size_t table, std::span<const ConstView> columns, bool lossy) override;

 private:
  struct Rows {
    BlockGatherer gatherer;
    std::map<std::size_t, Extent> places;
  };
  std::map<std::size_t, Rows> tables_;
};

}  // namespace quire::nektar
