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
#include "format/nektar/xml_cuts.hpp"
#include "format/nektar/xml_text.hpp"

namespace quire::nektar {

/// The text of the values of one block.
struct Payload {
  std::uint64_t length = 0;
  std::shared_ptr<const std::vector<std::byte>> text{};  ///< null: made again as it is written
};

/// Where the blocks of a rank get large, and how much of their text is kept.
struct TextLimits {
  std::uint64_t largest_block = 0;
  /// Blocks are compressed when they are weighed, to be counted. So many bytes of what comes out are kept, so that
  /// usual checkpoints are compressed once; the others are compressed again as they are written.
  std::uint64_t kept = 0;
};

/// What a rank brings of a step, as it is weighed: the ids and orders of all elements, and how much text the values of
/// each block are. Never more values than those of one block of each table are held.
class XmlWeighing {
 public:
  XmlWeighing(const StepDescription& step, const TextLimits& limits);

  /// Adds rows of tables. Throws type errors, unless `lossy`, and usage errors for elements that are put twice.
  void add(const StepPart& part, bool lossy);
  /// Throws usage errors unless all has come that the step is to have: as many coefficients as the elements have.
  void require_all(const StepDescription& step) const;

  /// The text of all blocks, in the order of the specification (specs/nektar-fld.md section 3): `text` takes what
  /// stands around the values, `payload` these, with their table and block.
  using TakeText = std::function<void(std::string_view)>;
  using TakePayload = std::function<void(const Payload&, std::size_t table, std::size_t block)>;
  void print(const StepDescription& step, const TakeText& text, const TakePayload& payload) const;
  /// The ids of all blocks as a list of ranges, for the index of a directory.
  [[nodiscard]] std::string ids_text() const;

  /// What takes the rows of a table of coefficients once more.
  [[nodiscard]] BlockGatherer new_gatherer(std::size_t table) const;

 private:
  struct Tables {
    BlockPair pair;
    ElementNumbers numbers{};
    std::uint64_t elements = 0;  ///< so many are to come
    bool has_ids = true;         ///< in a plan without data they are unknown
    std::vector<std::string> variables{};
    std::vector<std::string> number_names{};
    std::optional<BlockGatherer> values{};  ///< once the orders of the elements are known
    BlockValues waiting{};                  ///< what comes before
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

/// Makes the text of blocks that was not kept, as their values come once more.
class XmlRows final : public WeighedRows {
 public:
  /// Where the text of a block goes, one of those that were weighed.
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
