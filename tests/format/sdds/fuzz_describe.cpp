// What a fuzzer calls: any bytes are described as a file, every step that is found is looked at, and nothing but an
// error of the library may come out of it. Built as a fuzzer with QUIRE_FUZZ, and run over the vectors by
// damage_test.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "format/sdds/format.hpp"
#include "quire/base/error.hpp"

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

/// Every run must lie inside the file: plans are made from them without another look.
void check_place(const quire::Place& place, std::uint64_t size) {
  for (const quire::Run& run : place.runs) {
    if (run.offset > size || run.bytes > size - run.offset) throw std::logic_error("a run reaches beyond the file");
    for (const std::uint64_t mark : run.marks.offsets) {
      if (mark < run.offset || mark > run.offset + run.bytes) throw std::logic_error("a mark lies outside of its run");
    }
  }
}

void check_step(const quire::StepLayout& step, std::uint64_t size) {
  for (const quire::Place& place : step.tables) check_place(place, size);
  for (const quire::Place& place : step.fields) check_place(place, size);
  if (step.end > size || step.offset > step.end) throw std::logic_error("a step reaches beyond the file");
}

void describe(std::span<const std::byte> bytes, const quire::Options& options) {
  const quire::Format& format = quire::sdds_format();
  quire::DescribeContext context;
  context.memory_budget = 16 << 20;
  // A file may include itself; whether that ends is for the parser to see.
  context.neighbour = [bytes](const std::string& name) -> std::shared_ptr<quire::ByteSource> {
    if (name == "missing") return nullptr;
    return std::make_shared<FuzzedSource>(bytes);
  };
  try {
    const auto describer = format.describe(std::make_shared<FuzzedSource>(bytes), context,
                                           quire::CheckedOptions(format.read_options(), options));
    const std::uint64_t steps = describer->steps();
    for (std::uint64_t index = 0; index < std::min<std::uint64_t>(steps, 16); ++index) {
      const auto step = describer->step(index);
      if (!step) throw std::logic_error("a counted step is not there");
      check_step(*step, bytes.size());
    }
    static_cast<void>(describer->repair());
    if (const auto saved = describer->salvage(steps)) check_step(*saved, bytes.size());
    static_cast<void>(describer->step(steps));
  } catch (const quire::Error& error) {
    if (error.kind() == quire::ErrorKind::internal) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  describe(bytes, {});
  describe(bytes, {{"strict", "true"}, {"unescape_quotes", "true"}});
  return 0;
}
