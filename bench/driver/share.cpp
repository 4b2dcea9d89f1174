#include "driver/share.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>
#include <type_traits>

#include "quire/base/error.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::bench {
namespace {

constexpr std::uint64_t keys_of_an_element = 1ULL << 24;
constexpr std::size_t checked_at_once = 1 << 20;
constexpr std::size_t page = 4096;
/// Between quantities that are apart, from one multiple of 64 to another: columns of programs are not at the same place
/// of their pages.
constexpr std::size_t apart = 320;

/// Normally distributed numbers, the same with every standard library.
double normal(std::mt19937_64& random) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

/// As the ranks had it that wrote a file, if there are as many.
Slice given_slice(const Case& data, std::uint64_t all, int rank, int size) {
  if (data.shares.size() != static_cast<std::size_t>(size)) return even_slice(all, rank, size);
  const auto mine = data.shares.begin() + rank;
  if (std::accumulate(data.shares.begin(), data.shares.end(), std::uint64_t{0}) == all) {
    return {std::accumulate(data.shares.begin(), mine, std::uint64_t{0}), *mine};
  }
  return weighted_slice(all, rank, std::vector<double>(data.shares.begin(), data.shares.end()));
}

Slice slice_of(const Case& data, std::uint64_t all, int rank, int size) {
  if (data.imbalance == "given") return given_slice(data, all, rank, size);
  if (data.imbalance == "even" || size == 1) return even_slice(all, rank, size);
  std::vector<double> weights(static_cast<std::size_t>(size), 1);
  std::mt19937_64 random(data.seed);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    if (data.imbalance == "linear") weights[r] = static_cast<double>(r + 1);
    if (data.imbalance == "lognormal") weights[r] = std::exp(normal(random));
  }
  if (data.imbalance == "last-empty") weights.back() = 0;
  return weighted_slice(all, rank, weights);
}

/// As even factors of the ranks as there are, the largest first.
std::vector<std::uint64_t> factors(std::uint64_t ranks, std::size_t count) {
  std::vector<std::uint64_t> result(count, 1);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto wanted = std::pow(static_cast<double>(ranks), 1.0 / static_cast<double>(count - i));
    auto factor = static_cast<std::uint64_t>(std::ceil(wanted - 1e-9));
    while (ranks % factor != 0) ++factor;
    result[i] = factor;
    ranks /= factor;
  }
  result.back() = ranks;
  std::ranges::sort(result, std::greater());
  return result;
}

/// Which axes of a field are cut, into how many parts, and whether a part is one block or every so-maniest index.
struct Cut {
  std::vector<std::uint64_t> parts;
  bool scattered = false;
};

Cut cut_of(const Case& data, std::uint64_t ranks) {
  const std::size_t axes = data.extents.size();
  Cut cut{std::vector<std::uint64_t>(axes, 1), data.decomposition == "column" || data.decomposition == "pattern"};
  if (data.decomposition == "row") {
    cut.parts.front() = ranks;
  } else if (data.decomposition == "column") {
    cut.parts.back() = ranks;
  } else {
    const bool is_3d = data.decomposition == "block3d";
    const std::size_t cut_axes = std::min<std::size_t>(axes, is_3d ? 3 : 2);
    const auto parts = factors(ranks, cut_axes);
    std::ranges::copy(parts, cut.parts.begin() + static_cast<std::ptrdiff_t>(is_3d ? 0 : axes - cut_axes));
  }
  return cut;
}

Selection selection_of(const Case& data, int rank, int size) {
  const Cut cut = cut_of(data, static_cast<std::uint64_t>(size));
  Hyperslab slab;
  auto rest = static_cast<std::uint64_t>(rank);
  for (std::size_t axis = 0; axis < data.extents.size(); ++axis) {
    const std::uint64_t parts = cut.parts[axis];
    const std::uint64_t place = rest % parts;
    rest /= parts;
    const std::uint64_t extent = data.extents[axis];
    if (cut.scattered) {
      slab.start.push_back(std::min(place, extent - 1));
      slab.stride.push_back(parts);
      slab.count.push_back(place < extent ? (extent - place - 1) / parts + 1 : 0);
    } else {
      const Slice slice = even_slice(extent, static_cast<int>(place), static_cast<int>(parts));
      slab.start.push_back(slice.first);
      slab.stride.push_back(1);
      slab.count.push_back(slice.count);
    }
  }
  slab.block.assign(slab.start.size(), 1);
  return slab;
}

void share_field(Share& share, int rank, int size) {
  const Case& data = share.data;
  share.types.assign(data.fields * data.components, Type::float64);
  share.selection = selection_of(data, rank, size);
  share.items = share.selection.elements();
  if (share.items == 0) return;
  SelectionWalk walk(data.extents, share.selection);
  while (const auto line = walk.next()) share.keys.push_back(*line);
}

/// The elements of a rank, rising: neighbours, or picked at random from all.
std::vector<std::uint32_t> elements_of(const Case& data, int rank, int size) {
  const Slice mine = slice_of(data, data.elements, rank, size);
  if (data.distribution == "contiguous") {
    std::vector<std::uint32_t> elements(mine.count);
    std::iota(elements.begin(), elements.end(), static_cast<std::uint32_t>(mine.first));
    return elements;
  }
  std::vector<std::uint32_t> all(data.elements);
  std::iota(all.begin(), all.end(), 0U);
  std::mt19937_64 random(data.seed);
  for (std::size_t last = all.size(); last > 1; --last) std::swap(all[last - 1], all[random() % last]);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(mine.first);
  std::vector<std::uint32_t> elements(first, first + static_cast<std::ptrdiff_t>(mine.count));
  std::ranges::sort(elements);
  return elements;
}

void share_elements(Share& share, int rank, int size) {
  const Case& data = share.data;
  share.types.assign(data.variables, Type::float64);
  const std::vector<std::uint32_t> mine = elements_of(data, rank, size);
  for (std::size_t order = 0; order < data.modes.size(); ++order) {
    const std::uint64_t modes = data.modes[order];
    ElementGroup group{modes, share.items, {}};
    const std::uint64_t coefficients = modes * modes * modes;
    for (const std::uint64_t e : mine) {
      if (e % data.modes.size() != order) continue;
      group.ids.push_back(static_cast<std::uint32_t>(e));
      share.keys.push_back({e * keys_of_an_element, 1, coefficients});
      share.items += coefficients;
    }
    share.groups.push_back(std::move(group));
  }
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The value of an item.
template <class Number>
struct Formula {
  Case::Content content;
  std::uint64_t quantity;
  std::uint64_t salt;

  [[nodiscard]] Number operator()(std::uint64_t key) const {
    if (content == Case::Content::random) {
      const std::uint64_t bits = mixed(key ^ salt);
      if constexpr (std::is_integral_v<Number>)
        return static_cast<Number>(bits);
      else
        return static_cast<Number>(static_cast<double>(bits >> 11) * 0x1p-53);
    }
    if (content == Case::Content::smooth) {
      const double place = std::sin(1e-3 * static_cast<double>(key) + static_cast<double>(quantity));
      if constexpr (std::is_integral_v<Number>)
        return static_cast<Number>(static_cast<int>(60 * place) + 60);
      else
        return static_cast<Number>(place);
    }
    return static_cast<Number>(quantity % 100 + 1);
  }
};

/// Calls `use(expected bytes, place)` for one piece of the quantity after another.
template <class Use>
void in_pieces(std::size_t bytes, std::size_t unit, const Use& use) {
  const std::size_t piece = checked_at_once / unit * unit;
  for (std::size_t at = 0; at < bytes; at += piece) use(at, std::min(piece, bytes - at));
}

[[noreturn]] void refuse(std::size_t quantity, std::uint64_t item) {
  throw Error(ErrorKind::bad_file, "values from item " + std::to_string(item) + " of quantity " +
                                       std::to_string(quantity) + " on hold other values than were written");
}

}  // namespace

Share Share::of(const Case& data, int rank, int size) {
  Share share;
  share.data = data;
  if (data.kind == Case::Kind::field) {
    share_field(share, rank, size);
  } else if (data.kind == Case::Kind::elements) {
    share_elements(share, rank, size);
  } else {
    share.types = data.columns;
    share.rows = slice_of(data, data.rows, rank, size);
    share.items = share.rows.count;
    if (share.items > 0) share.keys.push_back({share.rows.first, 1, share.items});
  }
  return share;
}

std::uint64_t Share::bytes() const {
  std::uint64_t sum = 0;
  for (const Type type : types) sum += items * size_of(type);
  return sum;
}

std::vector<std::uint32_t> Share::subset_elements() const {
  std::vector<std::uint32_t> elements;
  for (const ElementGroup& group : groups) elements.insert(elements.end(), group.ids.begin(), group.ids.end());
  elements.resize((elements.size() + 1) / 2);
  return elements;
}

std::uint64_t Share::subset_bytes() const {
  std::uint64_t sum = 0;
  if (data.kind != Case::Kind::elements) {
    for (std::size_t q = 0; q < subset_quantities(); ++q) sum += bytes_of(q);
    return sum;
  }
  for (const std::uint32_t element : subset_elements()) {
    const std::uint64_t modes = data.modes[element % data.modes.size()];
    sum += modes * modes * modes * size_of(types[0]);
  }
  return sum;
}

Share share_of_element(const Case& data, std::uint64_t element) {
  const std::uint64_t modes = data.modes[element % data.modes.size()];
  Share share;
  share.data = data;
  share.types.assign(data.variables, Type::float64);
  share.items = modes * modes * modes;
  share.keys.push_back({element * keys_of_an_element, 1, share.items});
  return share;
}

std::uint64_t bytes_of_rank(const Case& data, int rank, int size) {
  if (data.kind == Case::Kind::field) {
    return selection_of(data, rank, size).elements() * data.fields * data.components * sizeof(double);
  }
  return Share::of(data, rank, size).bytes();
}

std::uint64_t payload_of(const Case& data) {
  std::uint64_t step = 0;
  if (data.kind == Case::Kind::table) {
    for (const Type type : data.columns) step = checked_add(step, checked_multiply(size_of(type), data.rows));
  } else if (data.kind == Case::Kind::field) {
    step = checked_multiply(checked_multiply(volume(data.extents), 8), data.components * data.fields);
  } else {
    for (std::size_t order = 0; order < data.modes.size(); ++order) {
      const std::uint64_t elements = (data.elements + data.modes.size() - 1 - order) / data.modes.size();
      step += elements * data.modes[order] * data.modes[order] * data.modes[order] * 8 * data.variables;
    }
  }
  return checked_multiply(step, data.steps);
}

void make_values(const Share& share, std::size_t quantity, std::uint64_t first, std::span<std::byte> out) {
  visit_type(share.types[quantity], [&]<class Number>(std::type_identity<Number>) {
    const Formula<Number> formula{share.data.content, quantity, mixed(share.data.seed * 0x10001 + quantity)};
    std::uint64_t skipped = first;
    for (auto line = share.keys.begin(); line != share.keys.end() && !out.empty(); ++line) {
      if (skipped >= line->count) {
        skipped -= line->count;
        continue;
      }
      const std::uint64_t count = std::min<std::uint64_t>(line->count - skipped, out.size() / sizeof(Number));
      std::uint64_t key = line->first + skipped * line->step;
      for (std::uint64_t i = 0; i < count; ++i, key += line->step) {
        const Number value = formula(key);
        std::memcpy(out.data() + i * sizeof(Number), &value, sizeof(Number));
      }
      out = out.subspan(count * sizeof(Number));
      skipped = 0;
    }
  });
}

void make_bytes(const Share& share, std::uint64_t offset, std::span<std::byte> out) {
  std::vector<std::byte> values;
  for (std::size_t q = 0; q < share.quantities() && !out.empty(); ++q) {
    const std::uint64_t bytes = share.bytes_of(q);
    if (offset >= bytes) {
      offset -= bytes;
      continue;
    }
    // Whole values around the bytes that are wanted.
    const std::size_t size = size_of(share.types[q]);
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - offset, out.size()));
    const std::uint64_t first = offset / size;
    const auto skipped = static_cast<std::size_t>(offset - first * size);
    values.resize(round_up(skipped + taken, size));
    make_values(share, q, first, values);
    std::memcpy(out.data(), values.data() + skipped, taken);
    out = out.subspan(taken);
    offset = 0;
  }
}

void check_values(const Share& share, std::size_t quantity, std::span<const std::byte> found) {
  const std::size_t size = size_of(share.types[quantity]);
  std::vector<std::byte> wanted;
  in_pieces(found.size(), size, [&](std::size_t at, std::size_t length) {
    wanted.resize(length);
    make_values(share, quantity, at / size, wanted);
    if (std::memcmp(wanted.data(), found.data() + at, length) != 0) refuse(quantity, at / size);
  });
}

void check_bytes(const Share& share, std::uint64_t offset, std::span<const std::byte> found) {
  std::vector<std::byte> wanted;
  in_pieces(found.size(), 1, [&](std::size_t at, std::size_t length) {
    wanted.resize(length);
    make_bytes(share, offset + at, wanted);
    if (std::memcmp(wanted.data(), found.data() + at, length) != 0) {
      throw Error(ErrorKind::bad_file, "the bytes are others than were written").at(offset + at);
    }
  });
}

ShareMemory::ShareMemory(Share share, Order order)
    : share_(std::move(share)),
      starts_([&] {
        std::vector<std::size_t> starts;
        std::size_t next = 0;
        for (std::size_t q = 0; q < share_.quantities(); ++q) {
          starts.push_back(next);
          next += share_.bytes_of(q);
          if (order == Order::apart) next = round_up(next, 64) + apart;
          if (order == Order::movable) next = round_up(next, page) + page;
        }
        starts.push_back(next);
        return starts;
      }()),
      arena_(starts_.back()) {}

std::span<std::byte> ShareMemory::quantity(std::size_t quantity) const {
  return arena_.bytes().subspan(starts_[quantity], share_.bytes_of(quantity));
}

void ShareMemory::move(std::size_t quantity, std::size_t place) {
  std::size_t& start = starts_[quantity];
  start = start / page * page + place;
}

std::span<std::byte> ShareMemory::bytes() const { return arena_.bytes().first(share_.bytes()); }

void ShareMemory::fill() const {
  for (std::size_t q = 0; q < share_.quantities(); ++q) make_values(share_, q, 0, quantity(q));
}

void ShareMemory::forget() const { std::ranges::fill(arena_.bytes(), std::byte{0xA5}); }

void ShareMemory::check(std::size_t quantities) const {
  for (std::size_t q = 0; q < quantities; ++q) check_values(share_, q, quantity(q));
}

}  // namespace quire::bench
