#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/schema.hpp"
#include "quire/format/format.hpp"

namespace quire::sdds {

/// A page that is to be written. What is pointed at outlives the plan.
struct PageSubject {
  const Header* header = nullptr;
  const FileDescription* file = nullptr;
  const StepPart* mine = nullptr;
  bool canonical = false;
  std::uint64_t number = 1;       ///< of the page, as its comment says
  bool is_first = true;           ///< no page stands in front of it
  std::uint64_t growth_rows = 0;  ///< rows by which its count runs ahead while it grows; 0: it does not grow
};

/// Where everything in one page goes: the seam between binary and text data, for writing. Pure.
///
/// The number of slots of its measure depends only on the structure of the step.
class PagePlan {
 public:
  virtual ~PagePlan() = default;

  /// Rank 0: what stands at the beginning of the page until it is published; readers refuse it.
  [[nodiscard]] virtual std::vector<std::byte> guard() const = 0;
  [[nodiscard]] virtual Measure measure(bool root) const = 0;
  /// What rank 0 adds to a measure is taken from `total`.
  [[nodiscard]] virtual Placement place(std::uint64_t begin, std::span<const std::uint64_t> before,
                                        std::span<const std::uint64_t> total, bool root) const = 0;
  /// Where the page ends.
  [[nodiscard]] virtual std::uint64_t end(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
  /// Where the row count stands.
  [[nodiscard]] virtual std::uint64_t count_offset(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
  [[nodiscard]] virtual std::uint64_t rows(std::span<const std::uint64_t> total) const = 0;
  /// Rank 0: the acts that make the page visible, the last one so small that nothing cuts it in two.
  [[nodiscard]] virtual Publication publish(std::uint64_t begin, std::span<const std::uint64_t> total) const = 0;
};

/// For a page of the header's mode.
[[nodiscard]] std::unique_ptr<PagePlan> plan_page(const PageSubject& page);
[[nodiscard]] std::unique_ptr<PagePlan> plan_binary_page(const PageSubject& page);
[[nodiscard]] std::unique_ptr<PagePlan> plan_text_page(const PageSubject& page);
/// For further rows of the last page: `begin` is where it ended.
[[nodiscard]] std::unique_ptr<PagePlan> plan_growth(const PageSubject& page);

/// The count of a page that grows: ahead of its rows (specs/sdds.md section 4.5). Without growth that of its rows.
/// Throws unsupported errors beyond 31 bits, and in text beyond eight digits.
[[nodiscard]] std::uint64_t announced_rows(const Header& header, std::uint64_t rows, std::uint64_t growth_rows);
/// The write that replaces a count of announced rows at `offset` by another one. Of text only the digits that differ
/// are written: at most eight bytes, which the kernel copies at once, where a part of all would be a third number.
[[nodiscard]] PublishWrite count_change(const Header& header, std::uint64_t offset, std::uint64_t from,
                                        std::uint64_t to);

/// Rank 0: how far behind the beginning of a binary page of up to 2^31 rows the first column begins. Nothing for one
/// where that depends on the strings of other ranks.
[[nodiscard]] std::optional<std::uint64_t> first_column(const PageSubject& page);

/// Rows of text, not placed yet.
[[nodiscard]] Run text_row_run(const Header& header, const StepPart& mine, bool canonical);

/// Adds to the weights of a part what its values take in a page of text.
void weigh_text(const Header& header, bool canonical, StepPart& part, bool lossy);

/// An array of a field in the order of the header.
struct OrderedArray {
  FieldArray array;
  std::size_t position = 0;  ///< in field_arrays() of the step
};
[[nodiscard]] std::vector<OrderedArray> arrays_in_order(const Header& header, const StepDescription& step);

/// Of a field: how many elements each of its components has.
[[nodiscard]] std::uint64_t elements_of(const Field& field);

}  // namespace quire::sdds
