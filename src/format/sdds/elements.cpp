#include "format/sdds/elements.hpp"

#include "kernels/interleave.hpp"

namespace quire::sdds {
namespace {

[[nodiscard]] kernels::RecordShape shape_of(Type type, ByteOrder order) {
  return {size_of(type), {{0, size_of(type), kernels::code_for(type, order)}}};
}

}  // namespace

std::vector<std::byte> native_elements(Type type, ByteOrder order, std::span<const std::byte> bytes) {
  std::vector<std::byte> elements(bytes.size());
  const kernels::Target target{elements.data(), static_cast<std::ptrdiff_t>(size_of(type))};
  kernels::unpack(shape_of(type, order), std::span(&target, 1), bytes.size() / size_of(type), bytes.data());
  return elements;
}

std::vector<std::byte> file_elements(const Value& value, ByteOrder order) {
  const auto elements = value.bytes();
  const std::size_t size = size_of(value.type());
  std::vector<std::byte> bytes(elements.size());
  const kernels::Source source{elements.data(), static_cast<std::ptrdiff_t>(size)};
  kernels::pack(shape_of(value.type(), order), std::span(&source, 1), elements.size() / size, bytes.data());
  return bytes;
}

}  // namespace quire::sdds
