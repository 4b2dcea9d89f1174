#include "format/nektar/streams/stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "format/nektar/basis.hpp"
#include "format/nektar/metadata.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::nektar {
namespace {

constexpr std::uint64_t most_attributes = 7;
constexpr std::string_view metadata_mark = "METADATA";

/// Reads numbers and texts one after another, in little-endian order: such streams were written on no other machines.
class Cursor {
 public:
  explicit Cursor(ByteSource& bytes) : bytes_(bytes), size_(bytes.size()) {}

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == size_; }

  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_file, what).at(position_); }

  template <class Number>
  Number number() {
    std::array<std::byte, sizeof(Number)> bytes{};
    take(bytes);
    return load<Number>(bytes.data(), ByteOrder::little);
  }
  /// The next bytes, at most `most`, without advancing.
  std::string ahead(std::size_t most) {
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - position_)), '\0');
    take(std::as_writable_bytes(std::span(bytes)));
    position_ -= bytes.size();
    return bytes;
  }
  /// Reads a count of items of `bytes` bytes each. Throws unless the stream still holds as many.
  std::uint64_t count(std::uint64_t bytes) {
    const auto count = number<std::uint64_t>();
    if (count > (size_ - position_) / bytes) refuse("the stream ends before the data that it declares");
    return count;
  }
  std::string text() {
    constexpr std::uint64_t longest = std::uint64_t{16} << 20;
    const std::uint64_t length = count(1);
    if (length > longest) refuse("a text has " + std::to_string(length) + " bytes");
    std::string text(static_cast<std::size_t>(length), '\0');
    take(std::as_writable_bytes(std::span(text)));
    return text;
  }
  template <class Number>
  std::vector<Number> numbers() {
    constexpr std::uint64_t longest = std::uint64_t{16} << 20;
    const std::uint64_t length = count(sizeof(Number));
    if (length > longest) refuse("a list has " + std::to_string(length) + " numbers");
    std::vector<std::byte> bytes(static_cast<std::size_t>(length) * sizeof(Number));
    take(bytes);
    std::vector<Number> values(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = load<Number>(bytes.data() + i * sizeof(Number), ByteOrder::little);
    }
    return values;
  }
  /// The extent of numbers, without reading them.
  Extent skip(std::uint64_t bytes) {
    const std::uint64_t length = count(bytes) * bytes;
    const Extent place{position_, length};
    position_ += length;
    return place;
  }
  /// Reads the numbers of a skipped extent, at most `at_once` at a time.
  void visit(const Extent& place, std::uint64_t at_once,
             const std::function<void(std::span<const std::uint64_t>)>& look) {
    const std::uint64_t continuation = std::exchange(position_, place.offset);
    const std::uint64_t end = place.offset + place.length;
    std::vector<std::uint64_t> piece;
    while (position_ < end) {
      piece.resize(static_cast<std::size_t>(std::min(at_once, (end - position_) / sizeof(std::uint32_t))));
      for (std::uint64_t& one : piece) one = number<std::uint32_t>();
      look(piece);
    }
    position_ = continuation;
  }

 private:
  void take(std::span<std::byte> out) {
    if (out.size() > size_ - position_) refuse("the stream ends early");
    while (!out.empty()) {
      if (position_ < first_ || position_ >= first_ + loaded_.size()) fill();
      const auto from = static_cast<std::size_t>(position_ - first_);
      const std::size_t count = std::min(out.size(), loaded_.size() - from);
      std::memcpy(out.data(), loaded_.data() + from, count);
      out = out.subspan(count);
      position_ += count;
    }
  }
  void fill() {
    constexpr std::uint64_t piece = std::uint64_t{4} << 10;
    loaded_.resize(static_cast<std::size_t>(std::min(piece, size_ - position_)));
    first_ = position_;
    if (bytes_.read(position_, loaded_) != loaded_.size()) refuse("the stream ends early");
  }

  ByteSource& bytes_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::byte> loaded_;
};

std::vector<std::uint64_t> wide(const std::vector<std::uint32_t>& numbers) { return {numbers.begin(), numbers.end()}; }

/// The attributes of a block, before they are combined.
struct Attributes {
  std::vector<std::uint32_t> basis;
  ShapeText shape;
  std::vector<double> lengths;
  bool is_mixed = false;
  std::vector<std::uint64_t> modes;  ///< if all elements have the same,
  Extent orders;                     ///< or the extent of those of each
};

void read_modes(Cursor& cursor, StreamStyle layout, Attributes& found) {
  const std::string kind = cursor.text();
  found.is_mixed = kind == "MIXORDER";
  if (!found.is_mixed && kind != "UNIORDER") cursor.refuse("the modes are neither UNIORDER nor MIXORDER");
  if (found.is_mixed) {
    found.orders = cursor.skip(sizeof(std::uint32_t));
  } else {
    found.modes = layout == StreamStyle::first ? parse_numbers(cursor.text()) : wide(cursor.numbers<std::uint32_t>());
  }
}

void read_attribute(Cursor& cursor, StreamStyle layout, StreamBlock& block, Attributes& found) {
  const std::string name = cursor.text();
  Expansion& expansion = block.expansion;
  if (name == "FIELDS") {
    const std::uint64_t fields = cursor.count(sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < fields; ++i) block.variables.push_back(cursor.text());
  } else if (name == "BASIS") {
    found.basis = cursor.numbers<std::uint32_t>();
  } else if (name == "SHAPE") {
    found.shape = parse_shape(cursor.text());
  } else if (name == "HOMOGENEOUSLENGTHS") {
    found.lengths = cursor.numbers<double>();
    expansion.y_ids = wide(cursor.numbers<std::uint32_t>());
    expansion.z_ids = wide(cursor.numbers<std::uint32_t>());
    expansion.strip_ids = wide(cursor.numbers<std::uint32_t>());
  } else if (name == "NUMMODESPERDIR") {
    read_modes(cursor, layout, found);
  } else if (name == "POINTSTYPE") {
    expansion.points = cursor.text();
  } else if (name == "NUMPOINTSPERDIR") {
    expansion.point_counts = cursor.text();
  } else {
    cursor.refuse("a block has the unknown attribute \"" + name + "\"");
  }
}

/// Reads the modes of a mixed block and counts its coefficients. The elements may still have the same modes: the
/// writers of such streams stored those of the first element only.
void count_coefficients(Cursor& cursor, StreamBlock& block, Attributes& found) {
  const std::uint64_t directions = block.expansion.basis.size();
  const std::uint64_t numbers = found.orders.length / sizeof(std::uint32_t);
  const bool has_all = directions > 0 && numbers == checked_multiply(block.elements, directions);
  if (found.is_mixed && !has_all) {
    const Extent one{found.orders.offset, std::min(directions, numbers) * sizeof(std::uint32_t)};
    cursor.visit(one, directions + 1, [&](auto modes) { found.modes.assign(modes.begin(), modes.end()); });
  }
  block.expansion.modes = std::move(found.modes);
  check_expansion(block.expansion);
  if (!found.is_mixed || !has_all) return count_uniform(block);
  constexpr std::uint64_t at_once = std::uint64_t{64} << 10;
  block.orders = found.orders;
  cursor.visit(found.orders, at_once / directions * directions, [&](auto modes) {
    block.coefficients = checked_add(block.coefficients, mixed_coefficients(block.expansion, modes));
  });
}

StreamBlock read_block(Cursor& cursor, StreamStyle layout) {
  std::optional<std::uint64_t> end;
  if (layout == StreamStyle::second) {
    const std::uint64_t length = cursor.count(1);
    end = cursor.position() + length;
  }
  StreamBlock block;
  Attributes found;
  const auto attributes = cursor.number<std::uint64_t>();
  if (attributes > most_attributes) cursor.refuse("a block has " + std::to_string(attributes) + " attributes");
  for (std::uint64_t i = 0; i < attributes; ++i) read_attribute(cursor, layout, block, found);
  if (end && *end != cursor.position()) cursor.refuse("the attributes of a block do not have the declared length");
  block.ids = cursor.skip(sizeof(std::uint32_t));
  block.values = cursor.skip(sizeof(double));
  check_variables({block.variables.begin(), block.variables.end()});
  set_shape(block.expansion, found.shape, std::move(found.lengths));
  std::vector<std::string> warnings;
  // Streams have no version. Those of the first layout were written before the numbering changed.
  const Provenance provenance{layout == StreamStyle::first ? "4.4.0" : "5.0.0", ""};
  const BasisNumbers numbers{found.basis, found.shape.shape};
  block.expansion.basis = basis_names(found.basis, find_numbering(std::span(&numbers, 1), provenance, warnings));
  block.elements = block.ids.length / sizeof(std::uint32_t);
  count_coefficients(cursor, block, found);
  if (checked_multiply(checked_multiply(block.coefficients, block.variables.size()), sizeof(double)) ==
      block.values.length) {
    return block;
  }
  throw Error(found.is_mixed ? ErrorKind::unsupported : ErrorKind::bad_file,
              found.is_mixed ? "the orders of the elements of a mixed block were not stored"
                             : "a block has another number of values than its elements need")
      .at(block.values.offset);
}

/// Skips the dummy block of the second layout where a rank has fewer blocks than others: one zero of each kind.
void skip_dummy(Cursor& cursor) {
  const bool is_dummy = cursor.number<std::uint64_t>() == 1 && cursor.number<std::uint8_t>() == 0 &&
                        cursor.number<std::uint64_t>() == 1 && cursor.number<std::uint32_t>() == 0 &&
                        cursor.number<std::uint64_t>() == 1 && cursor.number<double>() == 0;
  if (!is_dummy) cursor.refuse("there are unexpected data after the last block");
}

/// Whether the mark of metadata follows, or the rest of it in a truncated stream.
bool is_at_mark(Cursor& cursor) {
  std::array<std::byte, sizeof(std::uint64_t)> length{};
  store(length.data(), std::uint64_t{metadata_mark.size()}, ByteOrder::little);
  std::string mark(reinterpret_cast<const char*>(length.data()), length.size());
  mark += metadata_mark;
  return mark.starts_with(cursor.ahead(mark.size()));
}

/// Reads the data after the last block.
void read_tail(Cursor& cursor, StreamStyle layout, Stream& stream) {
  while (!cursor.at_end()) {
    if (layout == StreamStyle::first) cursor.refuse("there are unexpected data after the last block");
    if (!is_at_mark(cursor)) {
      skip_dummy(cursor);
      continue;
    }
    if (!stream.metadata.empty()) cursor.refuse("there are unexpected data after the last block");
    try {
      static_cast<void>(cursor.text());
      stream.metadata = cursor.text();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_file) throw;
      stream.metadata_damage = error;
      return;
    }
  }
}

Stream parse(ByteSource& bytes, bool ranked, StreamStyle layout, StreamExtent wanted) {
  Cursor cursor(bytes);
  const auto version = cursor.number<std::uint32_t>();
  if (version != 1) cursor.refuse("the version of the stream is " + std::to_string(version) + ", not 1");
  if (ranked) static_cast<void>(cursor.number<std::uint64_t>());
  Stream stream;
  const std::uint64_t count = cursor.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) stream.blocks.push_back(read_block(cursor, layout));
  read_tail(cursor, layout, stream);
  if (stream.metadata_damage && wanted == StreamExtent::all) throw Error(*stream.metadata_damage);
  return stream;
}

}  // namespace

Stream parse_stream(ByteSource& bytes, bool ranked, StreamExtent wanted) {
  // A block of the second layout begins with the length of its attributes in bytes, one of the first with their number,
  // which is always smaller.
  Cursor look(bytes);
  static_cast<void>(look.number<std::uint32_t>());
  if (ranked) static_cast<void>(look.number<std::uint64_t>());
  const bool is_second =
      look.number<std::uint64_t>() == 0 ? !look.at_end() : look.number<std::uint64_t>() > most_attributes;
  return parse(bytes, ranked, is_second ? StreamStyle::second : StreamStyle::first, wanted);
}

bool begins_like_stream(std::span<const std::byte> head) noexcept {
  const auto word = [&](std::size_t at) {
    return head.size() < at + sizeof(std::uint64_t) ? 0 : load<std::uint64_t>(head.data() + at, ByteOrder::little);
  };
  const auto has_text = [&](std::size_t at, std::string_view text) {
    if (word(at) != text.size() || head.size() < at + sizeof(std::uint64_t) + text.size()) return false;
    return std::memcmp(head.data() + at + sizeof(std::uint64_t), text.data(), text.size()) == 0;
  };
  constexpr std::size_t version = sizeof(std::uint32_t);
  constexpr std::size_t words = sizeof(std::uint64_t);
  // Other versions are left to the parser: streams with these names in these places contain fields, maybe damaged.
  constexpr std::string_view first_attribute = "FIELDS";
  if (word(version) == 0 && has_text(version + words, metadata_mark)) return true;
  // After the number of blocks, the first layout has the number of attributes, and the second also their length.
  // Streams that were to be merged have the rank before them.
  return std::ranges::any_of(std::array{2U, 3U, 4U},
                             [&](unsigned before) { return has_text(version + before * words, first_attribute); });
}

// ---- Writing

namespace {

class Printer {
 public:
  template <class Number>
  void number(Number value) {
    bytes_.resize(bytes_.size() + sizeof value);
    store(bytes_.data() + bytes_.size() - sizeof value, value, ByteOrder::little);
  }
  void text(std::string_view text) {
    number(static_cast<std::uint64_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <class Number>
  void numbers(const auto& values) {
    number(static_cast<std::uint64_t>(values.size()));
    for (const auto value : values) number(static_cast<Number>(value));
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> stream_opening(std::uint64_t blocks) {
  Printer printer;
  printer.number(std::uint32_t{1});
  printer.number(blocks);
  return printer.take();
}

std::vector<std::byte> block_opening(const Table& values, std::uint64_t elements) {
  const Expansion& expansion = *values.expansion;
  Printer part;
  part.number(std::uint64_t{0});  // the length, which is set below
  const bool is_homogeneous = !expansion.lengths.empty();
  part.number(std::uint64_t{is_homogeneous ? 5U : 4U});
  part.text("FIELDS");
  part.number(static_cast<std::uint64_t>(values.columns.size()));
  for (const Column& column : values.columns) part.text(column.name);
  part.text("BASIS");
  std::vector<std::uint32_t> basis;
  for (const std::string& name : expansion.basis) basis.push_back(basis_number(name));
  part.numbers<std::uint32_t>(basis);
  part.text("SHAPE");
  part.text(shape_text(expansion));
  if (is_homogeneous) {
    part.text("HOMOGENEOUSLENGTHS");
    part.numbers<double>(expansion.lengths);
    for (const auto* ids : {&expansion.y_ids, &expansion.z_ids, &expansion.strip_ids}) {
      part.numbers<std::uint32_t>(*ids);
    }
  }
  part.text("NUMMODESPERDIR");
  part.text(expansion.is_mixed() ? "MIXORDER" : "UNIORDER");
  const std::uint64_t modes = checked_multiply(elements, expansion.basis.size());
  std::uint64_t mode_bytes = 0;
  if (expansion.is_mixed()) {
    part.number(modes);
    mode_bytes = checked_multiply(modes, sizeof(std::uint32_t));
  } else {
    part.numbers<std::uint32_t>(expansion.modes);
  }
  std::vector<std::byte> bytes = part.take();
  const std::uint64_t length = checked_add(bytes.size() - sizeof(std::uint64_t), mode_bytes);
  store(bytes.data(), length, ByteOrder::little);
  return bytes;
}

std::uint64_t block_bytes(const Table& values, std::uint64_t elements) {
  const Expansion& expansion = *values.expansion;
  const std::uint64_t modes = expansion.is_mixed() ? checked_multiply(elements, expansion.basis.size()) : 0;
  std::uint64_t bytes = block_opening(values, elements).size();
  bytes = checked_add(bytes, checked_multiply(checked_add(modes, elements), sizeof(std::uint32_t)));
  const std::uint64_t doubles = checked_multiply(values.rows, values.columns.size());
  return checked_add(bytes, checked_add(2 * sizeof(std::uint64_t), checked_multiply(doubles, sizeof(double))));
}

std::vector<std::byte> stream_metadata(const std::vector<Attribute>& attributes) {
  Printer printer;
  printer.text(metadata_mark);
  printer.text(metadata_text(attributes));
  return printer.take();
}

}  // namespace quire::nektar
