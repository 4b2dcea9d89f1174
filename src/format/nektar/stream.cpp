#include "format/nektar/stream.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "format/nektar/basis.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

/// Numbers and texts one behind the other, little-endian as all machines were that wrote such streams.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }

  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_file, what).at(position_); }

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// A count of things that take `bytes` each, and that the stream still holds.
  std::uint64_t count(std::uint64_t bytes) {
    const auto count = number<std::uint64_t>();
    if (count > (bytes_.size() - position_) / bytes) refuse("the stream ends before what it announces");
    return count;
  }
  std::string text() {
    const auto bytes = take(count(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <class Number>
  std::vector<Number> numbers() {
    std::vector<Number> values(static_cast<std::size_t>(count(sizeof(Number))));
    const auto bytes = take(values.size() * sizeof(Number));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// The place of numbers that are not read.
  Extent skip(std::uint64_t bytes) {
    const std::uint64_t length = count(bytes) * bytes;
    const Extent place{position_, length};
    static_cast<void>(take(length));
    return place;
  }

 private:
  std::span<const std::byte> take(std::uint64_t length) {
    if (length > bytes_.size() - position_) refuse("the stream ends early");
    const auto part = bytes_.subspan(static_cast<std::size_t>(position_), static_cast<std::size_t>(length));
    position_ += length;
    return part;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

std::vector<std::uint64_t> wide(const std::vector<std::uint32_t>& numbers) { return {numbers.begin(), numbers.end()}; }

/// What the attributes of a block say, before they are put together.
struct Attributes {
  std::vector<std::uint32_t> basis;
  ShapeText shape;
  std::vector<double> lengths;
  bool is_mixed = false;
  std::vector<std::uint64_t> modes;
};

void read_modes(Cursor& cursor, StreamLayout layout, Attributes& told) {
  const std::string kind = cursor.text();
  told.is_mixed = kind == "MIXORDER";
  if (!told.is_mixed && kind != "UNIORDER") cursor.refuse("the modes are neither of one order nor mixed");
  const bool as_text = !told.is_mixed && layout == StreamLayout::first;
  told.modes = as_text ? parse_numbers(cursor.text()) : wide(cursor.numbers<std::uint32_t>());
}

void read_attribute(Cursor& cursor, StreamLayout layout, StreamBlock& block, Attributes& told) {
  const std::string name = cursor.text();
  Expansion& expansion = block.expansion;
  if (name == "FIELDS") {
    const std::uint64_t fields = cursor.count(sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < fields; ++i) block.variables.push_back(cursor.text());
  } else if (name == "BASIS") {
    told.basis = cursor.numbers<std::uint32_t>();
  } else if (name == "SHAPE") {
    told.shape = parse_shape(cursor.text());
  } else if (name == "HOMOGENEOUSLENGTHS") {
    told.lengths = cursor.numbers<double>();
    expansion.y_ids = wide(cursor.numbers<std::uint32_t>());
    expansion.z_ids = wide(cursor.numbers<std::uint32_t>());
    expansion.strip_ids = wide(cursor.numbers<std::uint32_t>());
  } else if (name == "NUMMODESPERDIR") {
    read_modes(cursor, layout, told);
  } else if (name == "POINTSTYPE") {
    expansion.points = cursor.text();
  } else if (name == "NUMPOINTSPERDIR") {
    expansion.point_counts = cursor.text();
  } else {
    cursor.refuse("a block has the unknown attribute \"" + name + "\"");
  }
}

StreamBlock read_block(Cursor& cursor, StreamLayout layout) {
  constexpr std::uint64_t most_attributes = 7;
  std::optional<std::uint64_t> end;
  if (layout == StreamLayout::second) {
    const std::uint64_t length = cursor.count(1);
    end = cursor.position() + length;
  }
  StreamBlock block;
  Attributes told;
  const auto attributes = cursor.number<std::uint64_t>();
  if (attributes > most_attributes) cursor.refuse("a block has " + std::to_string(attributes) + " attributes");
  for (std::uint64_t i = 0; i < attributes; ++i) read_attribute(cursor, layout, block, told);
  if (end && *end != cursor.position()) cursor.refuse("the attributes of a block have another length than announced");
  block.ids = cursor.skip(sizeof(std::uint32_t));
  block.values = cursor.skip(sizeof(double));
  check_variables(block.variables);
  set_shape(block.expansion, told.shape, std::move(told.lengths));
  std::vector<std::string> warnings;
  // Streams tell no version. Those of the first layout are from before the numbering changed.
  const Provenance provenance{layout == StreamLayout::first ? "4.4.0" : "5.0.0", ""};
  block.expansion.basis = basis_names(told.basis, told.shape.shape, provenance, warnings);
  block.elements = block.ids.length / sizeof(std::uint32_t);
  // The writers of mixed blocks kept the modes of the first element alone: those of all, if the size agrees.
  if (told.modes.size() > block.expansion.basis.size()) told.modes.resize(block.expansion.basis.size());
  block.expansion.modes = std::move(told.modes);
  check_expansion(block.expansion);
  count_uniform(block);
  if (checked_multiply(checked_multiply(block.coefficients, block.variables.size()), sizeof(double)) ==
      block.values.length) {
    return block;
  }
  throw Error(told.is_mixed ? ErrorKind::unsupported : ErrorKind::bad_file,
              told.is_mixed ? "the orders of the elements of a mixed block were not kept"
                            : "a block has another number of values than its elements need")
      .at(block.values.offset);
}

/// What the second layout puts where a rank has fewer blocks than others: one zero of everything.
void skip_dummy(Cursor& cursor) {
  const bool is_dummy = cursor.number<std::uint64_t>() == 1 && cursor.number<std::uint8_t>() == 0 &&
                        cursor.number<std::uint64_t>() == 1 && cursor.number<std::uint32_t>() == 0 &&
                        cursor.number<std::uint64_t>() == 1 && cursor.number<double>() == 0;
  if (!is_dummy) cursor.refuse("there is something behind the last block");
}

std::vector<StreamBlock> parse(std::span<const std::byte> bytes, bool ranked, StreamLayout layout) {
  Cursor cursor(bytes);
  const auto version = cursor.number<std::uint32_t>();
  if (version != 1) cursor.refuse("the version of the stream is " + std::to_string(version) + ", not 1");
  if (ranked) static_cast<void>(cursor.number<std::uint64_t>());
  std::vector<StreamBlock> blocks;
  const std::uint64_t count = cursor.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) blocks.push_back(read_block(cursor, layout));
  while (!cursor.at_end()) {
    if (layout == StreamLayout::first) cursor.refuse("there is something behind the last block");
    skip_dummy(cursor);
  }
  return blocks;
}

}  // namespace

std::vector<StreamBlock> parse_stream(std::span<const std::byte> bytes, bool ranked) {
  // A block of the second layout begins with the length of its attributes, one of the first with their number. No block
  // has as many as its attributes have bytes.
  constexpr std::uint64_t most_attributes = 7;
  Cursor look(bytes);
  static_cast<void>(look.number<std::uint32_t>());
  if (ranked) static_cast<void>(look.number<std::uint64_t>());
  const bool is_second =
      look.number<std::uint64_t>() == 0 ? !look.at_end() : look.number<std::uint64_t>() > most_attributes;
  return parse(bytes, ranked, is_second ? StreamLayout::second : StreamLayout::first);
}

}  // namespace quire::nektar
