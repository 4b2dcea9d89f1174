#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/schema.hpp"
#include "quire/base/archive.hpp"
#include "quire/format/format.hpp"

namespace quire::sdds {

class SddsDescriber;

/// Plans binary pages (specs/sdds.md section 4): the row count is -1 until a page is published.
///
/// Slots of a measure: what rank 0 alone writes in front of the fields, the row count apart; the bytes of the header,
/// also for steps that do not write it, so that a measure repeats when a step does; rows; one for the elements of each
/// field of strings; then the bytes of the strings of the table: row-major one slot for all, if there are string
/// columns, column-major one for each of them.
class SddsPlanner final : public WritePlanner {
 public:
  /// `layout_given`: the user asked for this byte order and this major order, so that a file that has others is not
  /// continued.
  SddsPlanner(const WriteLayout& layout, bool order_given, bool major_given)
      : layout_(layout), order_given_(order_given), major_given_(major_given) {}

  [[nodiscard]] Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                   bool drop) override;
  [[nodiscard]] std::vector<std::byte> state() const override;
  void adopt(std::span<const std::byte> state) override;
  void set_file(const FileDescription& file) override;
  [[nodiscard]] StepDescription accept(const StepDescription& step, bool lossy) const override;
  [[nodiscard]] WritePlan guard(const StepPart& mine) override;
  [[nodiscard]] Measure measure(const StepPart& mine, bool root) const override;
  [[nodiscard]] Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                bool root) const override;
  [[nodiscard]] Publication publish(const StepPart& mine, const Measure& total) override;
  void advance(const StepPart& mine, const Measure& total, bool published) override;
  [[nodiscard]] std::uint64_t published_size() const override { return end_; }
  [[nodiscard]] Publication finish() override;

 private:
  /// The header of the file, or the one that this first step gives it.
  [[nodiscard]] Header header_of(const StepDescription& step) const;
  /// Of a step of rank 0: where its page begins.
  [[nodiscard]] std::uint64_t page_begin(const Header& header) const;
  void check_number(const StepDescription& step) const;
  [[nodiscard]] std::uint64_t place_fields(const Header& header, const StepPart& mine, const Measure& total,
                                           std::uint64_t position, bool root, Placement& placement) const;
  void keep_steps(const SddsDescriber& describer, std::uint64_t steps);

  template <class Archive>
  void archive(Archive& a) {
    a(layout_, header_, file_, end_, pages_, numbered_, last_number_);
  }
  friend class quire::Packer;
  friend class quire::Unpacker;

  WriteLayout layout_;
  bool order_given_;
  bool major_given_;
  std::optional<Header> header_;  ///< once it stands in the file
  FileDescription file_;          ///< as held
  std::uint64_t end_ = 0;         ///< of the published bytes
  std::uint64_t pages_ = 0;
  bool numbered_ = true;  ///< the parameter Step numbers the pages there are
  std::int64_t last_number_ = 0;
  bool resumed_ = false;  ///< other ranks have not learned yet what the file holds
};

}  // namespace quire::sdds
