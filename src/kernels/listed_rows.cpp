#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/value_list.hpp"
#include "kernels/visit_listed.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::kernels {
namespace {

[[noreturn]] void fail(const char* reason) { throw Error(ErrorKind::bad_file, reason); }

/// The bytes of a bin.
class BinReader {
 public:
  BinReader(const ListBin& bin, std::span<const std::byte> bytes, std::size_t total)
      : bin_(bin), bytes_(bytes), total_(total) {
    if (bytes.size() < list_head_bytes ||
        static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size())) != bin.checksum) {
      fail("a list of rows is damaged");
    }
    if (bin.rows == 0 || bin.rows > total || bin.lower > bin.upper) fail("a list of rows has a wrong bin");
  }

  /// Writes the numbers of its rows.
  void rows(std::span<std::uint32_t> out) const {
    out[0] = load<std::uint32_t>(bytes_.data(), ByteOrder::little);
    const auto form = std::to_integer<std::uint8_t>(bytes_[list_head_bytes - 1]);
    const std::span<const std::byte> stored = bytes_.subspan(list_head_bytes, row_bytes());
    if (form == form_bits) {
      if (stored.size() > total_ / 8 + 1) fail("a list has rows beyond its table");
      read_bits(stored, out);
    } else if (form == form_runs) {
      read_runs(stored, out);
    } else if (form <= widest_distance && stored.size() == (std::size_t{form} * (out.size() - 1) + 7) / 8) {
      read_distances(stored, form, out);
    } else {
      fail("a list of rows has an unknown form");
    }
    if (out.back() >= total_) fail("a list has rows beyond its table");  // rows ascend
  }

  /// The codes of its rows.
  [[nodiscard]] std::span<const std::byte> codes() const {
    return bytes_.last(bin_.lower == bin_.upper ? 0 : bin_.rows);
  }

 private:
  [[nodiscard]] std::size_t row_bytes() const {
    const std::size_t others = list_head_bytes + (bin_.lower == bin_.upper ? 0 : bin_.rows);
    if (bytes_.size() < others) fail("a list of rows is too short");
    return bytes_.size() - others;
  }

  void read_distances(std::span<const std::byte> stored, unsigned width, std::span<std::uint32_t> out) const {
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    std::uint64_t row = out[0];
    std::size_t bit = 0;
    std::size_t i = 1;
    // A word has the distance at any of its first bits, while it is within the bytes of the bin.
    const std::size_t last_word = bytes_.size() - list_head_bytes;
    for (; i < out.size() && bit / 8 + sizeof(std::uint64_t) <= last_word; ++i, bit += width) {
      const auto word = load<std::uint64_t>(stored.data() + bit / 8, ByteOrder::little);
      row += ((word >> (bit % 8)) & mask) + 1;
      out[i] = static_cast<std::uint32_t>(row);
    }
    for (; i < out.size(); ++i, bit += width) {
      std::array<std::byte, sizeof(std::uint64_t)> rest{};
      std::ranges::copy(stored.subspan(std::min(bit / 8, stored.size())), rest.begin());
      row += ((load<std::uint64_t>(rest.data(), ByteOrder::little) >> (bit % 8)) & mask) + 1;
      out[i] = static_cast<std::uint32_t>(row);
    }
    if (row >= total_) fail("a list has rows beyond its table");
  }

  void read_bits(std::span<const std::byte> stored, std::span<std::uint32_t> out) const {
    const std::uint64_t first = out[0];
    std::uint64_t row = first;
    std::size_t found = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      for (auto byte = std::to_integer<unsigned>(stored[i]); byte != 0; byte &= byte - 1) {
        if (found == out.size()) fail("a list has more rows than its bin");
        row = first + 8 * i + static_cast<unsigned>(std::countr_zero(byte));
        out[found++] = static_cast<std::uint32_t>(row);
      }
    }
    if (found != out.size()) fail("a list has fewer rows than its bin");
    if (row >= total_) fail("a list has rows beyond its table");
  }

  static void read_runs(std::span<const std::byte> stored, std::span<std::uint32_t> out) {
    std::uint64_t row = out[0];
    std::size_t found = 0;
    for (std::size_t at = 0; at + 4 <= stored.size(); at += 4) {
      const auto count = load<std::uint32_t>(stored.data() + at, ByteOrder::little);
      if (at % 8 != 0) {
        row += count;
        continue;
      }
      if (count > out.size() - found) fail("a list has more rows than its bin");
      for (std::uint32_t i = 0; i < count; ++i) out[found + i] = static_cast<std::uint32_t>(row + i);
      found += count;
      row += count;
    }
    if (found != out.size() || row > std::uint64_t{1} << 32) fail("a list has fewer rows than its bin");
  }

  const ListBin& bin_;
  std::span<const std::byte> bytes_;
  std::size_t total_;
};

enum class Verdict : std::uint8_t { out, certain, candidate };

/// What each code of a bin says of the rows that have it.
std::array<Verdict, 256> verdicts(const ListBin& bin, const KeyRange& range) {
  std::array<Verdict, 256> made{};
  const int shift = code_shift(bin.lower, bin.upper);
  const Key last = (bin.upper - bin.lower) >> shift;
  for (Key code = 0; code <= last; ++code) {
    const Key lower = bin.lower + (code << shift);
    const Key upper = lower + std::min(bin.upper - lower, (Key{1} << shift) - 1);
    const bool is_out = upper < range.lower || lower > range.upper;
    const bool is_inside = lower >= range.lower && upper <= range.upper;
    made[code] = is_out ? Verdict::out : is_inside ? Verdict::certain : Verdict::candidate;
  }
  return made;
}

void sort_by_digits(std::vector<std::uint32_t>& rows) {
  constexpr int digit_bits = 12;
  constexpr std::uint32_t mask = (1U << digit_bits) - 1;
  std::vector<std::uint32_t> other(rows.size());
  for (const int shift : {0, digit_bits}) {
    std::array<std::uint32_t, mask + 2> places{};
    for (const std::uint32_t row : rows) ++places[((row >> shift) & mask) + 1];
    for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
    for (const std::uint32_t row : rows) other[places[(row >> shift) & mask]++] = row;
    rows.swap(other);
  }
}

/// Sorts many rows by a bit for each row of the table.
void sort_by_bits(std::vector<std::uint32_t>& rows, std::size_t total) {
  std::vector<std::uint64_t> bits(total / 64 + 1);
  for (const std::uint32_t row : rows) bits[row / 64] |= std::uint64_t{1} << (row % 64);
  std::size_t found = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::uint64_t word = bits[i]; word != 0; word &= word - 1) {
      rows[found++] = static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  if (found != rows.size()) fail("a list has a row twice");
}

void sort_rows(std::vector<std::uint32_t>& rows, std::size_t total) {
  constexpr std::size_t few = 2048;
  constexpr std::size_t sparse = 64;
  if (rows.size() < few) {
    std::ranges::sort(rows);
  } else if (rows.size() < total / sparse) {
    sort_by_digits(rows);
  } else {
    sort_by_bits(rows, total);
  }
}

}  // namespace

namespace {

/// The bytes of a bin among those of several, which begin at an offset of the list.
std::span<const std::byte> bytes_of(std::span<const ListBin> bins, std::size_t which,
                                    std::span<const std::byte> content, std::uint64_t begin) {
  const std::uint64_t end = which + 1 < bins.size() ? bins[which + 1].offset : begin + content.size();
  const std::uint64_t offset = bins[which].offset;
  if (offset < begin || offset > end || end - begin > content.size()) fail("a list of rows has a wrong bin");
  return content.subspan(offset - begin, end - offset);
}

}  // namespace

ListedRows listed_rows(std::span<const ListBin> bins, std::span<const std::byte> content, std::uint64_t begin,
                       const KeyRange& range, std::size_t total) {
  if (total > most_listed_rows) fail("a list has too many rows");
  ListedRows found;
  std::vector<std::uint32_t> rows;
  std::size_t used = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const ListBin& bin = bins[i];
    if (bin.upper < range.lower || bin.lower > range.upper) continue;
    const BinReader reader(bin, bytes_of(bins, i, content, begin), total);
    used += bin.rows;
    if (used > total) fail("a list has more rows than its table");
    if (range.lower <= bin.lower && bin.upper <= range.upper) {
      found.certain.resize(found.certain.size() + bin.rows);
      reader.rows(std::span(found.certain).last(bin.rows));
      continue;
    }
    rows.resize(bin.rows);
    reader.rows(rows);
    const auto verdict = verdicts(bin, range);
    const auto codes = reader.codes();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Verdict one = verdict[std::to_integer<std::uint8_t>(codes[row])];
      if (one == Verdict::certain) found.certain.push_back(rows[row]);
      if (one == Verdict::candidate) found.candidates.push_back(rows[row]);
    }
  }
  if (bins.size() > 1) {
    sort_rows(found.certain, total);
    sort_rows(found.candidates, total);
  }
  return found;
}

namespace {

template <class Number>
bool is_list_of(std::span<const Number> values, std::span<const ListBin> bins, std::span<const std::byte> content) {
  std::vector<bool> is_listed(values.size());
  std::vector<std::uint32_t> rows;
  std::size_t listed = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const ListBin& bin = bins[i];
    if (i > 0 && bin.lower <= bins[i - 1].upper) return false;
    const BinReader reader(bin, bytes_of(bins, i, content, 0), values.size());
    rows.resize(bin.rows);
    reader.rows(rows);
    const auto codes = reader.codes();
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const Key key = key_of(values[rows[j]]);
      if (is_listed[rows[j]] || key < bin.lower || key > bin.upper) return false;
      if (!codes.empty() && std::to_integer<Key>(codes[j]) != (key - bin.lower) >> code_shift(bin.lower, bin.upper)) {
        return false;
      }
      is_listed[rows[j]] = true;
    }
    listed += rows.size();
  }
  return listed == values.size();
}

}  // namespace

std::vector<std::uint32_t> common_rows(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  constexpr std::size_t far_more = 32;
  if (one.size() > other.size()) std::swap(one, other);
  std::vector<std::uint32_t> common(one.size());
  if (one.size() * far_more < other.size()) {
    const auto is_alone = [other](std::uint32_t row) { return !std::ranges::binary_search(other, row); };
    common.erase(std::remove_copy_if(one.begin(), one.end(), common.begin(), is_alone), common.end());
    return common;
  }
  std::size_t found = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    const std::uint32_t left = one[i];
    const std::uint32_t right = other[j];
    common[found] = left;
    // Without branches, which would be guessed wrong.
    found += left == right;
    i += left <= right;
    j += right <= left;
  }
  common.resize(found);
  return common;
}

std::vector<std::uint32_t> united_rows(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  std::vector<std::uint32_t> united(one.size() + other.size());
  std::size_t found = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    const std::uint32_t left = one[i];
    const std::uint32_t right = other[j];
    united[found++] = std::min(left, right);
    i += left <= right;
    j += right <= left;
  }
  auto end = std::copy(one.begin() + i, one.end(), united.begin() + found);
  end = std::copy(other.begin() + j, other.end(), end);
  united.erase(end, united.end());
  return united;
}

bool is_list_of(const ConstView& values, std::span<const ListBin> bins, std::span<const std::byte> content) {
  return visit_listed(values, [&](auto numbers) { return is_list_of(numbers, bins, content); });
}

}  // namespace quire::kernels
