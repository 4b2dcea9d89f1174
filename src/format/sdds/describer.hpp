#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/header_parser.hpp"
#include "format/sdds/page.hpp"
#include "format/sdds/page_index.hpp"
#include "format/sdds/read_ahead.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::sdds {

/// Reads the header of a file and of the files that it includes. Throws bad_file, missing (an included file) and memory
/// errors that name the file.
[[nodiscard]] Header read_header(ByteSource& bytes, const DescribeContext& context, const HeaderOptions& options);

/// The header in terms of the model: texts, layout facts, parameters with a fixed value as attributes, and the declared
/// structure of steps.
[[nodiscard]] FileDescription file_description(const Header& header);

/// The row count of the last step, and its number of complete rows.
struct LastCount {
  CountPlace place;
  std::uint64_t rows = 0;
};

/// Describes a file by parsing its pages in order; their offsets are kept in an index.
class SddsDescriber final : public Describer, public DamageReader, public Repairer {
 public:
  /// Reads the header and, if it defines attributes of the file, the title of the first page.
  SddsDescriber(std::shared_ptr<ByteSource> bytes, const DescribeContext& context, const HeaderOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return file_; }
  [[nodiscard]] std::uint64_t steps() override;
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] DescriberCapabilities capabilities() override { return {.damage = this, .repairer = this}; }
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  [[nodiscard]] Publication repair() override;

  // For appending.
  [[nodiscard]] const Header& header() const noexcept { return header_; }
  /// Whether the parameter Step numbers all steps that were read so far.
  [[nodiscard]] bool is_numbered() const noexcept { return numbered_; }
  /// How many of the first steps the parameter Step would number without the others, if it does not number all.
  [[nodiscard]] std::uint64_t numbered_alone() const noexcept { return numbered_alone_; }
  /// The number and the end of step `index`, which must have been read already.
  [[nodiscard]] std::int64_t known_number(std::uint64_t index) const { return number_of(index); }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t index) const { return pages_[index].end; }
  /// Whether this step has fewer rows than its row count states.
  [[nodiscard]] bool is_cut(std::uint64_t index) const { return cut_ && index + 1 == pages_.size(); }
  /// The first defect after the whole steps, after steps() has been called.
  [[nodiscard]] const std::optional<Error>& damage() const noexcept { return damage_; }
  /// Whether this defect is a step that its writer has not completed.
  [[nodiscard]] bool is_unfinished() const noexcept { return unfinished_; }
  /// The reason why the data end before the file, or an empty text; after steps() has been called.
  [[nodiscard]] const std::string& ending() const noexcept { return ending_; }
  [[nodiscard]] LastCount last_count();
  /// The writes that set the row count of a cut last step to its number of complete rows.
  [[nodiscard]] Publication correct_count();
  /// The end of the last whole step, after steps() has been called.
  [[nodiscard]] std::uint64_t end_of_steps() const;

 private:
  /// Finds page `index`, and all pages if the steps are numbered: numbers must not change after they were returned.
  void look_for(std::uint64_t index);
  /// Reads pages up to this index or to the last one.
  void look_up_to(std::uint64_t index);
  /// `careful`: checks every value of text data.
  [[nodiscard]] std::optional<Page> parse(std::uint64_t index, std::uint64_t offset, bool careful);
  void remember(const Page& page);
  [[nodiscard]] StepLayout finished(Page page, std::uint64_t index) const;
  [[nodiscard]] std::int64_t number_of(std::uint64_t index) const;
  void note_damage(Error error, std::uint64_t index);
  void add_file_attributes();

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  Header header_;
  FileDescription file_;
  std::uint64_t size_;
  ReadAhead ahead_;
  PageIndex pages_;
  bool cut_ = false;  ///< the last page is cut
  bool strict_ = false;
  bool numbered_ = false;
  std::uint64_t numbered_alone_ = 0;
  bool complete_ = false;     ///< all pages are known
  std::optional<Page> last_;  ///< the page parsed last, with its index
  std::uint64_t last_index_ = 0;
  std::optional<Error> damage_;
  bool unfinished_ = false;
  std::string ending_;
  std::optional<Page> salvaged_;
};

}  // namespace quire::sdds
