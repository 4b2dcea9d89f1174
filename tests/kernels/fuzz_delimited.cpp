// Entry point of a fuzzer: any text is split into rows as a whole and in pieces, with the same result, and only errors
// of the library may be thrown. Built as a fuzzer with QUIRE_FUZZ; delimited_test.cpp runs it on random bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/delimited.hpp"
#include "quire/base/error.hpp"

namespace {

using quire::kernels::DelimitedBlock;
using quire::kernels::Dialect;

struct Outcome {
  std::vector<std::string> cells;
  std::uint64_t next_line = 1;
  std::string error;

  bool operator==(const Outcome&) const = default;
};

void look_at(const DelimitedBlock& block) {
  std::vector<std::uint8_t> kinds(block.columns());
  block.classify(kinds);
  for (std::size_t column = 0; column < block.columns(); ++column) {
    const bool is_integer = (kinds[column] & ~quire::kernels::integer_cells) == 0;
    const bool is_real = (kinds[column] & (quire::kernels::text_cells | quire::kernels::wide_cells)) == 0;
    std::vector<std::int64_t> integers(block.rows());
    std::vector<double> reals(block.rows());
    try {
      block.values(column, quire::View(reals));
    } catch (const quire::Error&) {
      if (is_real) throw std::logic_error("what was taken for numbers is refused");
    }
    try {
      block.values(column, quire::View(integers));
    } catch (const quire::Error&) {
      if (is_integer) throw std::logic_error("what was taken for integers is refused");
    }
  }
}

Outcome split(std::string_view text, std::size_t piece, Dialect dialect) {
  Outcome outcome;
  DelimitedBlock block(dialect);
  std::string rest;
  std::size_t columns = 0;
  try {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      rest += text.substr(at, piece);
      const std::size_t taken = block.split(rest, at + piece >= text.size(), columns, outcome.next_line);
      if (taken > rest.size()) throw std::logic_error("more was taken than there is");
      if (block.rows() > 0) columns = block.columns();
      look_at(block);
      std::vector<quire::PackedStrings> texts(block.columns());
      for (std::size_t column = 0; column < block.columns(); ++column) block.texts(column, texts[column]);
      for (std::size_t row = 0; row < block.rows(); ++row) {
        for (const quire::PackedStrings& column : texts) outcome.cells.emplace_back(column[row]);
      }
      outcome.next_line = block.next_line();
      rest.erase(0, taken);
    }
  } catch (const quire::Error& error) {
    outcome.error = error.message();
    // How many rows were taken before the error depends on the pieces.
    outcome.cells.clear();
    outcome.next_line = 0;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr std::array delimiters{',', ';', '\t', ' '};
  const Dialect dialect{delimiters[data[0] % delimiters.size()], (data[0] & 16) != 0 ? '#' : '\0'};
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = split(text, text.size() + 1, dialect);
  const Outcome parts = split(text, 1 + data[1] % 32, dialect);
  if (whole != parts) throw std::logic_error("the pieces matter");
  return 0;
}
