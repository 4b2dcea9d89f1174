#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/header_writer.hpp"
#include "format/sdds/page_plan.hpp"
#include "format/sdds/schema.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::sdds {

class SddsDescriber;

/// The parts of a layout that the user gave: a file with a different layout is not continued.
struct GivenLayout {
  bool order = false;
  bool major = false;
  bool mode = false;
  bool lines = false;
  bool counts = false;
  bool number_type = false;
  std::optional<Error> useless;  ///< an option without effect in a new file; an existing file has its own layout
};

/// The last page of a file whose pages grow.
struct GrowingPage {
  std::uint64_t count_offset = 0;
  std::uint64_t rows = 0;
  std::uint64_t stored_count = 0;  ///< the count in the file; only rank 0 updates it

  template <class Archive>
  void archive(Archive& a) {
    a(count_offset, rows, stored_count);
  }
};

/// Plans a file: its header and consecutive pages, each by its PagePlan.
class SddsPlanner final : public WritePlanner, public ValueWeigher, public RowPlacer {
 public:
  SddsPlanner(const WriteLayout& layout, const GivenLayout& given) : layout_(layout), given_(given) {}

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  void require_row_places(const StepDescription& step, std::size_t table) const override;
  void weigh(StepPart& part, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& mine) override;
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return end_; }
  [[nodiscard]] Publication finish() override;
  [[nodiscard]] PlannerCapabilities capabilities() override;

 private:
  /// The header of the file; in a new file, the header of the declared structure or of this first step.
  [[nodiscard]] Header header_of(const StepDescription& step) const;
  /// Rank 0: the header before the first page.
  [[nodiscard]] std::string first_header(const Header& header, const StepPart& mine) const;
  /// The beginning of the page of a step.
  [[nodiscard]] std::uint64_t page_begin(const Measure& total) const;
  [[nodiscard]] PageSubject page_subject(const Header& header, const StepPart& mine) const;
  [[nodiscard]] std::unique_ptr<PagePlan> page_plan(const Header& header, const StepPart& mine) const;
  /// Whether a step adds rows to the last page.
  [[nodiscard]] bool is_growth(const StepDescription& step) const;
  void check_growth(const StepDescription& step) const;
  void check_number(const Header& header, const StepDescription& step) const;
  /// Throws for pages that readers could not distinguish from missing ones.
  void check_page(const Header& header) const;
  void check_layout(const Header& header) const;
  /// The last page of a file that is continued, if its count can be written in place.
  [[nodiscard]] std::optional<GrowingPage> last_page_of(SddsDescriber& describer) const;
  void keep_steps(const SddsDescriber& describer, std::uint64_t steps);
  /// Whether Quire wrote this file without any step. It is then treated as a new file: its header does not define the
  /// contents of steps yet and becomes longer with the first step.
  [[nodiscard]] bool begins_anew(const SddsDescriber& describer, ByteSource& existing);
  /// The header of a file without steps: what it declares.
  [[nodiscard]] std::vector<std::byte> bare_header(const FileDescription& file, WriteLayout layout) const;

  template <class Archive>
  void archive(Archive& a) {
    a(layout_, header_, file_, end_, pages_, pages_found_, numbered_, last_number_, growing_);
  }
  friend class quire::Packer;
  friend class quire::Unpacker;

  WriteLayout layout_;
  GivenLayout given_;
  std::optional<Header> header_;  ///< once it is in the file
  FileDescription file_;          ///< as stored
  std::uint64_t end_ = 0;         ///< of the published bytes
  std::uint64_t pages_ = 0;
  std::uint64_t pages_found_ = 0;  ///< pages that the continued file had before
  bool numbered_ = true;           ///< the parameter Step numbers the existing pages
  std::int64_t last_number_ = 0;
  std::optional<GrowingPage> growing_;
  bool resumed_ = false;  ///< the contents of the file have not been sent to the other ranks yet
};

}  // namespace quire::sdds
