#include "format/sdds/examine.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "format/records.hpp"
#include "format/sdds/format.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::test {
namespace {

class FuzzedSource final : public quire::ByteSource {
 public:
  explicit FuzzedSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset > bytes_.size()) throw std::logic_error("a read beyond the end of the file");
    const auto part = bytes_.subspan(offset).first(std::min<std::size_t>(out.size(), bytes_.size() - offset));
    std::copy(part.begin(), part.end(), out.begin());
    return part.size();
  }

 private:
  std::span<const std::byte> bytes_;
};

/// Every run must be inside the file: plans do not check it again.
void check_place(const quire::Place& place, std::uint64_t size) {
  for (const quire::Run& run : place.runs) {
    if (run.offset > size || run.bytes > size - run.offset) throw std::logic_error("a run reaches beyond the file");
    for (const std::uint64_t mark : run.marks.offsets) {
      if (mark < run.offset || mark > run.offset + run.bytes) throw std::logic_error("a mark is outside of its run");
    }
  }
}

void check_step(const quire::StepLayout& step, std::uint64_t size) {
  for (const quire::Place& place : step.tables) check_place(place, size);
  for (const quire::Place& place : step.fields) check_place(place, size);
  if (step.end > size || step.offset > step.end) throw std::logic_error("a step reaches beyond the file");
}

/// Checked values of text must be readable from any row on.
void read_step(const quire::StepLayout& step, std::span<const std::byte> bytes) {
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const quire::Table& table = step.description.tables[t];
    if (step.tables[t].runs.empty() || !step.tables[t].runs.front().text || table.rows > bytes.size()) continue;
    std::vector<quire::PackedStrings> strings(table.columns.size());
    std::vector<std::vector<std::byte>> numbers(table.columns.size());
    const quire::Slice rows{table.rows / 2, table.rows - table.rows / 2};
    std::vector<quire::ColumnTarget> targets;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const quire::Type type = table.columns[c].type;
      const std::size_t size = quire::size_of(type);
      numbers[c].resize(static_cast<std::size_t>(rows.count) * size);
      targets.push_back({c, size == 0
                                ? quire::View(strings[c], rows.count)
                                : quire::View(type, numbers[c].data(), rows.count, static_cast<std::ptrdiff_t>(size))});
    }
    quire::ReadPlan plan;
    quire::add_rows(plan, step.tables[t], rows, targets, false);
    for (const quire::ReadExtent& extent : plan.extents) {
      auto& decoder = *std::get<std::shared_ptr<quire::Decoder>>(extent.target);
      std::uint64_t done = 0;
      std::size_t piece = 5;
      while (done < extent.length) {
        const auto given = std::min<std::uint64_t>(piece, extent.length - done);
        const std::size_t used = decoder.decode(
            done, bytes.subspan(static_cast<std::size_t>(extent.offset + done), static_cast<std::size_t>(given)));
        if (used == 0 && done + given == extent.length) throw std::logic_error("a decoder consumes no bytes");
        piece = used == 0 ? 2 * piece : 5;
        done += used;
      }
    }
  }
}

/// The same for a step whose values have been checked: they must be valid.
void read_verified(const quire::StepLayout& step, std::span<const std::byte> bytes) {
  try {
    read_step(step, bytes);
  } catch (const quire::Error& error) {
    throw std::logic_error(std::string("a verified step cannot be read: ") + error.what());
  }
}

void describe(std::span<const std::byte> bytes, const quire::Options& options) {
  const quire::Format& format = quire::sdds_format();
  quire::DescribeContext context;
  context.memory_budget = 16 << 20;
  // A file may include itself; the parser must detect that.
  context.neighbour = [bytes](const std::string& name) -> std::shared_ptr<quire::ByteSource> {
    if (name == "missing") return nullptr;
    return std::make_shared<FuzzedSource>(bytes);
  };
  try {
    const auto describer = format.describe(std::make_shared<FuzzedSource>(bytes), context,
                                           quire::CheckedOptions(format.read_options, options));
    const std::uint64_t steps = describer->steps();
    for (std::uint64_t index = 0; index < std::min<std::uint64_t>(steps, 16); ++index) {
      const auto step = describer->step(index);
      if (!step) throw std::logic_error("a counted step does not exist");
      check_step(*step, bytes.size());
    }
    for (std::uint64_t index = 0; index < std::min<std::uint64_t>(steps, 16); ++index) {
      if (const auto step = verified_step(*describer, index)) read_verified(*step, bytes);
    }
    static_cast<void>(repair_acts(*describer));
    if (const auto saved = salvaged_step(*describer, describer->steps())) {
      check_step(*saved, bytes.size());
      read_verified(*saved, bytes);
    }
    static_cast<void>(describer->step(steps));
  } catch (const quire::Error& error) {
    if (error.kind() == quire::ErrorKind::internal) throw;
  }
}

}  // namespace

void examine(std::span<const std::byte> bytes) {
  describe(bytes, {});
  describe(bytes, {{"strict", "true"}, {"unescape_quotes", "true"}});
}

}  // namespace quire::test
