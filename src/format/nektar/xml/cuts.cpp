#include "format/nektar/xml/cuts.hpp"

#include <algorithm>
#include <utility>

#include "format/nektar/values.hpp"
#include "format/nektar/xml/payload.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

/// Some rows of a view; in a plan without data the pointer is null.
ConstView part_of(const ConstView& view, const Slice& rows) {
  return view.data == nullptr ? ConstView(view.type, nullptr, rows.count, view.stride)
                              : view.part(rows.first, rows.count);
}

/// True if zlib can read the doubles in place.
bool is_ready(const ConstView& view) {
  return view.type == Type::float64 && view.is_contiguous() && view.data != nullptr &&
         reinterpret_cast<std::uintptr_t>(view.data) % alignof(double) == 0;
}

}  // namespace

// ---- Cutter

void Cutter::add(std::uint64_t coefficients) {
  constexpr std::uint64_t most = 0xFFFFFFFF;
  const std::uint64_t bytes = sizeof(double) * variables_;
  if (checked_multiply(coefficients, bytes) > most) {
    throw Error(ErrorKind::unsupported, "an element has 4 GiB or more, which an XML block cannot store")
        .advise("use another layout");
  }
  if (cut_.count > 0 && checked_multiply(checked_add(cut_.coefficients, coefficients), bytes) > largest_) {
    cuts_.push_back(cut_);
    cut_ = {elements_, 0, cut_.end(), 0};
  }
  ++elements_;
  ++cut_.count;
  cut_.coefficients += coefficients;
}

std::vector<Cut> Cutter::finish() {
  if (cut_.count > 0) cuts_.push_back(std::exchange(cut_, {}));
  return std::move(cuts_);
}

// ---- BlockValues

BlockValues BlockValues::gathered(std::size_t columns, std::uint64_t first, std::uint64_t room) {
  BlockValues values({}, first);
  values.own_.resize(columns);
  for (auto& column : values.own_) column.reserve(static_cast<std::size_t>(room));
  return values;
}

void BlockValues::append(std::span<const ConstView> columns, std::span<const std::string> names, bool lossy) {
  own_.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t before = own_[c].size();
    own_[c].resize(before + static_cast<std::size_t>(columns[c].count));
    copy_numbers(columns[c], std::span(own_[c]).subspan(before), first_ + before, names[c], lossy);
  }
}

std::uint64_t BlockValues::rows() const noexcept {
  if (!views_.empty()) return views_.front().count;
  return own_.empty() ? 0 : own_.front().size();
}

std::vector<ConstView> BlockValues::columns() const {
  if (own_.empty()) return views_;
  std::vector<ConstView> views;
  for (const auto& column : own_) views.emplace_back(std::span<const double>(column));
  return views;
}

void BlockValues::print(std::span<const std::string> names, bool lossy,
                        const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t at_once = PayloadWriter::doubles_at_once;
  PayloadWriter payload(take);
  std::vector<double> copied;
  const std::vector<ConstView> views = columns();
  for (std::size_t c = 0; c < views.size(); ++c) {
    const ConstView& view = views[c];
    if (is_ready(view)) {
      payload.add({reinterpret_cast<const double*>(view.data), static_cast<std::size_t>(view.count)});
      continue;
    }
    for (std::uint64_t done = 0; done < view.count; done += copied.size()) {
      copied.resize(static_cast<std::size_t>(std::min<std::uint64_t>(at_once, view.count - done)));
      copy_numbers(part_of(view, {done, copied.size()}), std::span(copied), first_ + done, names[c], lossy);
      payload.add(copied);
    }
  }
  payload.finish();
}

// ---- BlockGatherer

std::optional<BlockValues> BlockGatherer::completed(std::span<const ConstView> columns, const Slice& part, bool lossy) {
  const Cut& cut = cuts_[next_];
  std::vector<ConstView> parts;
  for (const ConstView& column : columns) parts.push_back(part_of(column, part));
  if (part.count == cut.coefficients) return BlockValues(std::move(parts), rows_);
  if (!gathered_) gathered_ = BlockValues::gathered(columns.size(), rows_, cut.coefficients);
  gathered_->append(parts, names_, lossy);
  if (gathered_->rows() < cut.coefficients) return std::nullopt;
  return std::exchange(gathered_, std::nullopt);
}

}  // namespace quire::nektar
