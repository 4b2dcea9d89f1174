#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/schema.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::sdds {

/// A page to be written. The objects pointed to outlive the plan.
struct PageSubject {
  const Header* header = nullptr;
  const FileDescription* file = nullptr;
  const StepPart* mine = nullptr;
  bool canonical = false;
  std::uint64_t number = 1;       ///< of the page, in its comment
  bool is_first = true;           ///< this is the first page
  std::uint64_t growth_rows = 0;  ///< rows by which its count is ahead while it grows; 0: it does not grow
};

/// The places of everything in one page: the interface to binary and text data, for writing. Pure.
///
/// The number of slots of its measure depends only on the structure of the step.
class PagePlan {
 public:
  virtual ~PagePlan() = default;

  /// Rank 0: the beginning of the page until it is published; readers refuse it.
  [[nodiscard]] virtual std::vector<std::byte> guard() const = 0;
  [[nodiscard]] virtual Measure measure(bool root) const = 0;
  /// The part of rank 0 in a measure is in `total` only.
  [[nodiscard]] virtual Placement place(std::uint64_t begin, std::span<const std::uint64_t> before,
                                        std::span<const std::uint64_t> total, bool root) const = 0;
  /// The end of the page.
  [[nodiscard]] virtual std::uint64_t end(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
  /// The offset of the row count.
  [[nodiscard]] virtual std::uint64_t count_offset(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
  [[nodiscard]] virtual std::uint64_t rows(std::span<const std::uint64_t> total) const = 0;
  /// Rank 0: the writes that publish the page. The last one is so small that it is atomic.
  [[nodiscard]] virtual Publication publish(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
};

/// The plan of a page of the header's mode.
[[nodiscard]] std::unique_ptr<PagePlan> plan_page(const PageSubject& page);
[[nodiscard]] std::unique_ptr<PagePlan> plan_binary_page(const PageSubject& page);
[[nodiscard]] std::unique_ptr<PagePlan> plan_text_page(const PageSubject& page);
/// The plan of further rows of the last page: `begin` is its previous end.
[[nodiscard]] std::unique_ptr<PagePlan> plan_growth(const PageSubject& page);

/// The row count to be stored: for a page that grows, ahead of its rows (specs/sdds.md section 4.5); otherwise the
/// number of rows. Throws an unsupported error beyond 31 bits, and in text beyond eight digits.
[[nodiscard]] std::uint64_t row_count_for(const Header& header, std::uint64_t rows, std::uint64_t growth_rows);
/// The write that replaces the row count at `offset`. In text only the digits that differ are written: at most eight
/// bytes, which the kernel copies at once. A part of all digits would be a third number.
[[nodiscard]] PublishWrite count_change(const Header& header, std::uint64_t offset, std::uint64_t from,
                                        std::uint64_t to);

/// Rank 0: the offset of the first column in a binary page of up to 2^31 rows. Nothing if it depends on the strings of
/// other ranks.
[[nodiscard]] std::optional<std::uint64_t> first_column(const PageSubject& page);

/// Rows of text, not placed yet.
[[nodiscard]] Run text_row_run(const Header& header, const StepPart& mine, bool canonical);

/// Adds the sizes of the values in a page of text to the weights of a part.
void weigh_text(const Header& header, bool canonical, StepPart& part, bool lossy);

/// An array of a field in the order of the header.
struct OrderedArray {
  FieldArray array;
  std::size_t position = 0;  ///< in field_arrays() of the step
};
[[nodiscard]] std::vector<OrderedArray> arrays_in_order(const Header& header, const StepDescription& step);

/// The number of elements in each component of a field.
[[nodiscard]] std::uint64_t elements_of(const Field& field);

}  // namespace quire::sdds
