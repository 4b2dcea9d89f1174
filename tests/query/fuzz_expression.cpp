// Entry point of a fuzzer: any bytes are parsed as an expression, compiled over columns of all types and evaluated;
// only errors of the library may be thrown. Built as a fuzzer with QUIRE_FUZZ; expression_test.cpp runs it on
// tests/data/expressions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/query/expression.hpp"

namespace {

constexpr std::size_t rows = 3;

quire::Quantity column(const char* name, quire::Type type) {
  quire::Quantity quantity;
  quantity.name = name;
  quantity.type = type;
  return quantity;
}

const quire::Scope& scope() {
  static const quire::Scope made = [] {
    quire::Scope all;
    all.columns = {column("x", quire::Type::float64), column("q", quire::Type::float32),
                   column("i", quire::Type::int64),   column("u", quire::Type::uint64),
                   column("s", quire::Type::string),  column("c", quire::Type::character),
                   column("e", quire::Type::float80), column("h", quire::Type::int16)};
    quire::Attribute attribute;
    attribute.name = "a";
    attribute.unit = "m";
    attribute.value = quire::Value(2.5);
    all.attributes.push_back(attribute);
    all.step = 7;
    return all;
  }();
  return made;
}

/// Bytes for every column: the same memory for all types of numbers.
void evaluate(const quire::CompiledExpression& compiled) {
  alignas(16) static const std::array<std::byte, rows * 16> zeros{};
  static const std::vector<std::string> texts(rows, "Q1");
  std::vector<quire::ConstView> views;
  for (const std::string& name : compiled.columns()) {
    for (const quire::Quantity& known : scope().columns) {
      if (known.name != name) continue;
      if (known.type == quire::Type::string) {
        views.emplace_back(std::span<const std::string>(texts));
      } else {
        views.emplace_back(known.type, zeros.data(), rows, static_cast<std::ptrdiff_t>(quire::size_of(known.type)));
      }
    }
  }
  std::vector<std::uint64_t> selected;
  if (compiled.is_condition()) compiled.select(views, 10, rows, selected);
  if (compiled.type() == quire::Type::string) {
    quire::PackedStrings strings;
    compiled.evaluate(views, 10, quire::View(strings, rows));
  } else {
    alignas(16) std::array<std::byte, rows * 16> out{};
    const auto stride = static_cast<std::ptrdiff_t>(quire::size_of(compiled.type()));
    compiled.evaluate(views, 10, quire::View(compiled.type(), out.data(), rows, stride));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const quire::Expression expression(std::string_view(reinterpret_cast<const char*>(data), size));
    evaluate(expression.compile(scope()));
  } catch (const quire::Error& error) {
    if (error.kind() == quire::ErrorKind::internal) throw;
  }
  return 0;
}
