// The function that a fuzzer calls: it parses any bytes as a list of ranges, a start tag, a stream of a task and a
// whole XML file. Only errors of the library may be thrown. Built as a fuzzer with QUIRE_FUZZ, and run over
// tests/data/nektar, whole and damaged, by parts_test.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "format/nektar/range_list.hpp"
#include "format/nektar/streams/describer.hpp"
#include "format/nektar/streams/stream.hpp"
#include "format/nektar/xml/block.hpp"
#include "format/nektar/xml/describer.hpp"
#include "quire/base/error.hpp"
#include "support/memory_source.hpp"

namespace {

template <class Work>
void shielded(Work&& work) {
  try {
    work();
  } catch (const quire::Error&) {
    // Invalid bytes are reported by such an error.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quire::nektar;
  constexpr std::uint64_t budget = std::uint64_t{1} << 20;
  using quire::test::MemorySource;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  shielded([&] {
    const RangeList list = RangeList::parse(text);
    const auto numbers = list.numbers(budget);
    const std::vector<std::uint32_t> narrow(numbers.begin(), numbers.end());
    if (RangeList::parse(range_text(narrow)).numbers(budget) != numbers) __builtin_trap();
  });
  shielded([&] {
    std::vector<std::string> warnings;
    static_cast<void>(parse_tag(text, size, warnings));
  });
  for (const bool ranked : {false, true}) {
    shielded([&] {
      MemorySource source{std::string(text)};
      static_cast<void>(parse_stream(source, ranked));
    });
  }
  shielded([&] {
    XmlDescriber describer(std::make_shared<MemorySource>(std::string(text)),
                           {.path = "fuzzed", .memory_budget = budget, .neighbour = {}}, Blocks::joined);
    try {
      static_cast<void>(describer.verified(0));
    } catch (const quire::Error&) {
      static_cast<void>(describer.salvage(0));
    }
  });
  shielded([&] {
    StreamDescriber describer(std::make_shared<MemorySource>(std::string(text)),
                              {.path = "fuzzed", .memory_budget = budget, .neighbour = {}}, Blocks::joined);
    static_cast<void>(describer.step(0));
  });
  return 0;
}
