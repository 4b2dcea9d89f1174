#include <algorithm>
#include <string>

#include "format/sdds/page_plan.hpp"
#include "format/sdds/table_plan.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

// The slots: rows, then the bytes of their text or of their strings.
constexpr std::size_t new_rows_slot = 0;
constexpr std::size_t new_bytes_slot = 1;

/// Further rows at the end of the last page: row-major binary data, or text.
class GrowthPlan final : public PagePlan {
 public:
  explicit GrowthPlan(const PageSubject& page)
      : page_(page), header_(*page.header), mine_(*page.mine), is_text_(header_.data.mode == Mode::ascii) {}

  [[nodiscard]] std::vector<std::byte> guard() const override { return {}; }

  [[nodiscard]] Measure measure(bool /*root*/) const override {
    if (mine_.description.tables.empty()) return {0, 0};
    const Measure strings = is_text_ ? mine_.weights.tables : table_string_slots(header_, mine_);
    return {mine_.description.tables.front().rows, strings.empty() ? 0 : strings.front()};
  }

  [[nodiscard]] Placement place(std::uint64_t begin, std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> total, bool /*root*/) const override {
    Placement placement;
    placement.end = end(begin, total);
    placement.is_in_sight = true;
    if (mine_.description.tables.empty()) return placement;
    if (is_text_) {
      Run run = text_row_run(header_, mine_, page_.canonical);
      run.offset = checked_add(begin, before[new_bytes_slot]);
      run.records = mine_.description.tables.front().rows;
      run.bytes = mine_.weights.tables.at(0);
      placement.tables.push_back({std::move(run)});
    } else {
      placement.tables.push_back(plan_table(header_, mine_, slots(before, total), begin).runs);
    }
    return placement;
  }

  [[nodiscard]] std::uint64_t end(std::uint64_t begin, std::span<const std::uint64_t> total) const override {
    if (is_text_) return checked_add(begin, total[new_bytes_slot]);
    return plan_table(header_, mine_, slots(Measure{0, 0}, total), begin).end;
  }
  [[nodiscard]] std::uint64_t count_offset(std::uint64_t, std::span<const std::uint64_t>) const override {
    throw Error(ErrorKind::internal, "further rows have no count of their own");
  }
  [[nodiscard]] std::uint64_t rows(std::span<const std::uint64_t> total) const override { return total[new_rows_slot]; }
  [[nodiscard]] Publication publish(std::uint64_t, std::span<const std::uint64_t>) const override { return {}; }

 private:
  [[nodiscard]] TableSlots slots(std::span<const std::uint64_t> before, std::span<const std::uint64_t> total) const {
    const std::size_t strings = table_string_slots(header_, mine_).size();
    return {.rows_before = before[new_rows_slot],
            .rows = total[new_rows_slot],
            .strings_before = before.subspan(new_bytes_slot, strings),
            .strings = total.subspan(new_bytes_slot, strings)};
  }

  PageSubject page_;
  const Header& header_;
  const StepPart& mine_;
  bool is_text_;
};

}  // namespace

std::unique_ptr<PagePlan> plan_growth(const PageSubject& page) { return std::make_unique<GrowthPlan>(page); }

}  // namespace quire::sdds
