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
#include "quire/format/format.hpp"

namespace quire::sdds {

/// The header of a file and of the files that it includes. Throws bad_file, missing (an included file) and memory
/// errors that name the file.
[[nodiscard]] Header read_header(ByteSource& bytes, const DescribeContext& context, const HeaderOptions& options);

/// The header as the model knows it: texts, layout facts, parameters with a fixed value as attributes, and what it
/// defines of steps.
[[nodiscard]] FileDescription file_description(const Header& header);

/// The row count of the last step, and how many rows there are.
struct LastCount {
  CountPlace place;
  std::uint64_t rows = 0;
};

/// Answers for a file by parsing its pages one after another; where they begin is remembered.
class SddsDescriber final : public Describer {
 public:
  /// Reads the header and, if it tells of attributes there, the title of the first page.
  SddsDescriber(std::shared_ptr<ByteSource> bytes, const DescribeContext& context, const HeaderOptions& options);

  [[nodiscard]] const FileDescription& file() const override { return file_; }
  [[nodiscard]] std::uint64_t steps() override;
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  [[nodiscard]] Publication repair() override;

  // What appending needs beyond that.
  [[nodiscard]] const Header& header() const noexcept { return header_; }
  /// Whether the parameter Step numbers the steps, as far as they were looked at.
  [[nodiscard]] bool is_numbered() const noexcept { return numbered_; }
  /// The number of step `index` and where it ends; it must be known already.
  [[nodiscard]] std::int64_t known_number(std::uint64_t index) const { return number_of(index); }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t index) const { return pages_[index].end; }
  /// Whether rows of this step are missing that its row count announces.
  [[nodiscard]] bool is_cut(std::uint64_t index) const { return cut_ && index + 1 == pages_.size(); }
  /// The first defect behind the whole steps, after steps() has been called.
  [[nodiscard]] const std::optional<Error>& damage() const noexcept { return damage_; }
  /// Whether that defect is a step whose writer has not completed it.
  [[nodiscard]] bool is_unfinished() const noexcept { return unfinished_; }
  /// Why the data end although the file goes on, or nothing; after steps() has been called.
  [[nodiscard]] const std::string& ending() const noexcept { return ending_; }
  [[nodiscard]] LastCount last_count();
  /// The writes that give the last step, if it is cut, the number of rows that it has.
  [[nodiscard]] Publication correct_count();
  /// One behind the last whole step, after steps() has been called.
  [[nodiscard]] std::uint64_t end_of_steps() const;

 private:
  /// As look_up_to(), before anything is said of a step.
  void look_for(std::uint64_t index);
  /// Looks at pages until the one of this index is known or there are no more.
  void look_up_to(std::uint64_t index);
  /// `careful`: looks at every value of text data.
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
  bool cut_ = false;  ///< the last page is
  bool strict_ = false;
  bool numbered_ = false;
  bool complete_ = false;     ///< all pages are known
  std::optional<Page> last_;  ///< the page parsed last, with its index
  std::uint64_t last_index_ = 0;
  std::optional<Error> damage_;
  bool unfinished_ = false;
  std::string ending_;
  std::optional<Page> salvaged_;
};

}  // namespace quire::sdds
