// Entry point of a fuzzer: any bytes are inflated, once in order and once again from restart points, and only errors of
// the library may be thrown. Built as a fuzzer with QUIRE_FUZZ; inflated_test.cpp runs it too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"
#include "transport/inflated_bytes.hpp"
#include "transport/packed.hpp"

namespace {

using quire::InflatedBytes;

/// Reads the last bytes and the first with the survey of another rank: they must equal the earlier ones.
void read_again(const std::shared_ptr<quire::ByteSource>& file, InflatedBytes& first) {
  InflatedBytes second(file, quire::unpack<quire::InflationSurvey>(quire::pack(first.survey())));
  std::string one(4096, '\0');
  std::string two(4096, '\0');
  for (const std::uint64_t offset :
       {first.size() - std::min<std::uint64_t>(first.size(), 4096), first.size() / 2, std::uint64_t{0}}) {
    const std::size_t count = first.read(offset, std::as_writable_bytes(std::span(one)));
    const std::size_t again = second.read(offset, std::as_writable_bytes(std::span(two)));
    if (count != again || one != two) throw std::logic_error("inflating again gives other bytes");
    if (count != std::min<std::uint64_t>(4096, first.size() - offset)) throw std::logic_error("bytes are missing");
  }
}

void inflate(const std::string& bytes, bool unconfirmed) {
  const auto compression = quire::compression_of(std::as_bytes(std::span(bytes)));
  if (compression == quire::Compression::none) return;
  try {
    const auto file = std::make_shared<quire::test::TextSource>(bytes);
    InflatedBytes inflated(file, compression, {.memory_budget = 1 << 20, .unconfirmed = unconfirmed});
    read_again(file, inflated);
  } catch (const quire::Error& error) {
    if (error.kind() != quire::ErrorKind::memory && error.kind() != quire::ErrorKind::unsupported) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  inflate(bytes, false);
  inflate(bytes, true);
  return 0;
}
