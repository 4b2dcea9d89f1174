#include "kernels/value_list.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "kernels/visit_listed.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::kernels {
namespace {

constexpr std::size_t samples_per_bin = 20;

/// What is known of a bin before its rows are written.
struct Tally {
  Key lower = key_of_nan;
  Key upper = 0;
  std::uint32_t rows = 0;
  std::uint32_t last = 0;      ///< row
  std::uint32_t distance = 0;  ///< the greatest number of rows between two
  std::uint32_t runs = 0;
  std::uint32_t first = 0;  ///< row
  std::uint32_t begin = 0;  ///< place of its rows among those of all bins

  void add(Key key, std::uint32_t row) {
    lower = std::min(lower, key);
    upper = std::max(upper, key);
    if (rows == 0) {
      first = row;
      runs = 1;
    } else {
      const std::uint32_t between = row - last - 1;
      distance = std::max(distance, between);
      runs += between != 0;
    }
    last = row;
    ++rows;
  }
};

/// A number that looks random, for each i (G. Steele et al., Fast Splittable Pseudorandom Number Generators, 2014).
std::uint64_t scattered(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9;
  i = (i ^ (i >> 27)) * 0x94d049bb133111eb;
  return i ^ (i >> 31);
}

/// Keys at which a bin begins, apart from the first bin. A value that fills a bin has one of its own.
template <class Number>
std::vector<Key> fences_of(std::span<const Number> values) {
  const std::size_t bins = (values.size() + rows_per_bin - 1) / rows_per_bin;
  std::vector<Key> sample(std::min(values.size(), bins * samples_per_bin));
  const double cell = static_cast<double>(values.size()) / static_cast<double>(std::max<std::size_t>(sample.size(), 1));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double within = static_cast<double>(scattered(i) >> 11) * 0x1p-53;
    const auto row = static_cast<std::size_t>((static_cast<double>(i) + within) * cell);
    sample[i] = key_of(values[std::min(row, values.size() - 1)]);
  }
  std::ranges::sort(sample);
  std::vector<Key> fences;
  for (std::size_t i = samples_per_bin; i < sample.size(); i += samples_per_bin) {
    const Key key = sample[i];
    if (fences.empty() || fences.back() < key) {
      fences.push_back(key);
    } else if (fences.back() == key && key != key_of_nan) {
      fences.push_back(key + 1);
    }
  }
  // Other values in the bin of NaN would have codes that hardly differ.
  if (std::is_floating_point_v<Number> && (fences.empty() || fences.back() < key_of_nan)) fences.push_back(key_of_nan);
  return fences;
}

/// Finds the bins of keys: the number of fences up to each.
class Classifier {
 public:
  explicit Classifier(std::span<const Key> fences) : bins_(static_cast<std::uint32_t>(fences.size())) {
    fences_.assign(std::bit_ceil(fences.size() + 1) - 1, key_of_nan);
    std::ranges::copy(fences, fences_.begin());
  }

  static constexpr std::size_t batch = 16;

  /// Searches for several keys at once, whose loads do not wait for each other.
  void classify(const std::array<Key, batch>& keys, std::array<std::uint32_t, batch>& places) const {
    places.fill(0);
    for (auto half = static_cast<std::uint32_t>((fences_.size() + 1) / 2); half != 0; half /= 2) {
      for (std::size_t i = 0; i < batch; ++i) {
        places[i] += fences_[places[i] + half - 1] <= keys[i] ? half : 0;
      }
    }
    for (std::uint32_t& place : places) place = std::min(place, bins_);
  }

 private:
  std::vector<Key> fences_;
  std::uint32_t bins_;
};

template <class Number>
std::vector<Tally> tallies_of(std::span<const Number> values, std::span<const Key> fences,
                              std::vector<std::uint16_t>& bins) {
  std::vector<Tally> tallies(fences.size() + 1);
  const Classifier classifier(fences);
  std::array<Key, Classifier::batch> keys{};
  std::array<std::uint32_t, Classifier::batch> places{};
  for (std::size_t first = 0; first < values.size(); first += keys.size()) {
    const std::size_t count = std::min(keys.size(), values.size() - first);
    for (std::size_t i = 0; i < count; ++i) keys[i] = key_of(values[first + i]);
    classifier.classify(keys, places);
    for (std::size_t i = 0; i < count; ++i) {
      bins[first + i] = static_cast<std::uint16_t>(places[i]);
      tallies[places[i]].add(keys[i], static_cast<std::uint32_t>(first + i));
    }
  }
  std::uint32_t begin = 0;
  for (Tally& tally : tallies) {
    tally.begin = begin;
    begin += tally.rows;
  }
  return tallies;
}

/// The rows of all bins, and their codes.
struct Ordered {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> codes;
};

template <class Number>
Ordered ordered_by_bin(std::span<const Number> values, std::span<const Tally> tallies,
                       std::span<const std::uint16_t> bins) {
  struct Place {
    Key lower;
    std::uint32_t next;
    int shift;
  };
  std::vector<Place> places;
  places.reserve(tallies.size());
  for (const Tally& tally : tallies) {
    places.push_back({tally.lower, tally.begin, tally.rows == 0 ? 0 : code_shift(tally.lower, tally.upper)});
  }
  Ordered made{std::vector<std::uint32_t>(values.size()), std::vector<std::uint8_t>(values.size())};
  for (std::size_t row = 0; row < values.size(); ++row) {
    Place& place = places[bins[row]];
    made.rows[place.next] = static_cast<std::uint32_t>(row);
    made.codes[place.next] = static_cast<std::uint8_t>((key_of(values[row]) - place.lower) >> place.shift);
    ++place.next;
  }
  return made;
}

/// Appends the rows of a bin in the shortest form.
class BinWriter {
 public:
  explicit BinWriter(std::vector<std::byte>& out) : out_(out) {}

  void write(const Tally& tally, std::span<const std::uint32_t> rows) {
    const auto width = static_cast<std::uint8_t>(std::bit_width(tally.distance));
    const std::size_t distances = bytes_of(std::uint64_t{width} * (rows.size() - 1));
    const std::size_t bits = bytes_of(std::uint64_t{tally.last} - tally.first + 1);
    const std::size_t runs = (2 * std::size_t{tally.runs} - 1) * sizeof(std::uint32_t);
    append(tally.first);
    if (distances <= std::min(bits, runs)) {
      out_.push_back(std::byte{width});
      append_distances(rows, width, distances);
    } else if (bits <= runs) {
      out_.push_back(std::byte{form_bits});
      append_bits(rows, bits);
    } else {
      out_.push_back(std::byte{form_runs});
      append_runs(rows);
    }
  }

 private:
  static std::size_t bytes_of(std::uint64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); }

  void append(std::uint32_t number) {
    out_.resize(out_.size() + sizeof number);
    store(out_.data() + out_.size() - sizeof number, number, ByteOrder::little);
  }

  void append_distances(std::span<const std::uint32_t> rows, int width, std::size_t bytes) {
    const std::size_t begin = out_.size();
    std::uint64_t held = 0;
    int count = 0;
    out_.resize(begin + bytes + sizeof held);  // whole words are stored
    std::byte* to = out_.data() + begin;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      held |= std::uint64_t{rows[i] - rows[i - 1] - 1} << count;
      count += width;
      if (count >= 32) {
        store(to, static_cast<std::uint32_t>(held), ByteOrder::little);
        to += sizeof(std::uint32_t);
        held >>= 32;
        count -= 32;
      }
    }
    store(to, held, ByteOrder::little);
    out_.resize(begin + bytes);
  }

  void append_bits(std::span<const std::uint32_t> rows, std::size_t bytes) {
    const std::size_t begin = out_.size();
    out_.resize(begin + bytes);
    for (const std::uint32_t row : rows) {
      const std::uint32_t bit = row - rows[0];
      out_[begin + bit / 8] |= std::byte{1} << (bit % 8);
    }
  }

  void append_runs(std::span<const std::uint32_t> rows) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= rows.size(); ++i) {
      if (i < rows.size() && rows[i] == rows[i - 1] + 1) continue;
      append(static_cast<std::uint32_t>(i - begin));
      if (i < rows.size()) append(rows[i] - rows[i - 1] - 1);
      begin = i;
    }
  }

  std::vector<std::byte>& out_;
};

template <class Number>
ValueList list_numbers(std::span<const Number> values) {
  std::vector<std::uint16_t> bins(values.size());
  const std::vector<Tally> tallies = tallies_of(values, std::span<const Key>(fences_of(values)), bins);
  const Ordered ordered = ordered_by_bin(values, tallies, bins);
  ValueList list;
  list.content.reserve(values.size() * 4);
  BinWriter writer(list.content);
  for (const Tally& tally : tallies) {
    if (tally.rows == 0) continue;
    const std::size_t offset = list.content.size();
    writer.write(tally, std::span(ordered.rows).subspan(tally.begin, tally.rows));
    if (tally.lower != tally.upper) {
      const auto codes = std::as_bytes(std::span(ordered.codes).subspan(tally.begin, tally.rows));
      list.content.insert(list.content.end(), codes.begin(), codes.end());
    }
    const std::uint64_t hash = XXH3_64bits(list.content.data() + offset, list.content.size() - offset);
    list.bins.push_back({tally.lower, tally.upper, offset, tally.rows, static_cast<std::uint32_t>(hash)});
  }
  return list;
}

}  // namespace

ValueList list_values(const ConstView& values) {
  return visit_listed(values, [](auto numbers) { return list_numbers(numbers); });
}

}  // namespace quire::kernels
