#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "api/root.hpp"
#include "quire/api/elements.hpp"
#include "quire/api/writer.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"

namespace quire {
namespace {

/// What distinguishes the tables of a step: blocks alike go to one, as long as no rank has two of them.
struct Kind {
  Expansion expansion;
  std::vector<std::string> variables;
  template <class Archive>
  void archive(Archive& a) {
    a(expansion, variables);
  }
};

/// As bytes, so that it can be compared, sorted and sent.
using PackedKind = std::string;

PackedKind kind_of(const ElementPart& part) {
  Kind kind{part.expansion, part.variables};
  kind.expansion.elements.clear();
  kind.expansion.origin.clear();
  const auto bytes = pack(kind);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void refuse(const ElementPart& part, const std::string& what) {
  throw Error(ErrorKind::usage, "a part of " + part.expansion.shape + "s " + what);
}

/// How many coefficients the elements of a part have.
std::uint64_t coefficients_of(const ElementPart& part) {
  const Expansion& expansion = part.expansion;
  if (!expansion.is_mixed()) return checked_multiply(part.ids.count, element_coefficients(expansion, expansion.modes));
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> modes(part.modes.size());
  for (std::uint64_t i = 0; i < part.ids.count; ++i) {
    for (std::size_t d = 0; d < modes.size(); ++d) {
      std::uint32_t mode = 0;
      const ConstView& view = part.modes[d];
      std::memcpy(&mode, view.data + static_cast<std::ptrdiff_t>(i) * view.stride, sizeof mode);
      modes[d] = mode;
    }
    sum = checked_add(sum, element_coefficients(expansion, modes));
  }
  return sum;
}

void check(const ElementPart& part) {
  check_expansion(part.expansion);
  if (part.variables.empty()) refuse(part, "has no variables");
  if (part.values.size() != part.variables.size()) refuse(part, "has another number of variables than of arrays");
  if (part.ids.type != Type::uint32) refuse(part, "has ids that are not of type uint32");
  const std::size_t directions = part.expansion.is_mixed() ? part.expansion.basis.size() : 0;
  if (part.modes.size() != directions) refuse(part, "has modes for another number of directions");
  for (const ConstView& modes : part.modes) {
    if (modes.type == Type::uint32 && modes.count == part.ids.count) continue;
    refuse(part, "needs modes of type uint32 for every element");
  }
  const std::uint64_t count = coefficients_of(part);
  for (std::size_t v = 0; v < part.values.size(); ++v) {
    if (part.values[v].type == Type::float64 && part.values[v].count == count) continue;
    refuse(part, "needs " + std::to_string(count) + " coefficients of type float64 of " + part.variables[v]);
  }
}

/// How often each kind is needed on some rank.
using Kinds = std::map<PackedKind, std::uint64_t>;

void join(Kinds& all, const Kinds& more) {
  for (const auto& [kind, times] : more) all[kind] = std::max(all[kind], times);
}

std::vector<std::byte> packed(const Kinds& kinds) {
  Packer packer;
  packer(static_cast<std::uint64_t>(kinds.size()));
  for (const auto& [kind, times] : kinds) packer(kind, times);
  return packer.take();
}

Kinds unpacked(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  std::uint64_t count = 0;
  unpacker(count);
  Kinds kinds;
  for (std::uint64_t i = 0; i < count; ++i) {
    PackedKind kind;
    std::uint64_t times = 0;
    unpacker(kind, times);
    kinds.emplace(std::move(kind), times);
  }
  return kinds;
}

/// The kinds of all ranks. If they all have the same, as in a run whose ranks have elements of every shape, one
/// reduction tells; else rank 0 joins them.
Kinds agreed(Comm& comm, const Kinds& mine) {
  const auto bytes = packed(mine);
  const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::array<std::uint64_t, 2> ends{hash, ~hash};
  comm.maximum(ends);
  if (ends[0] == ~ends[1]) return mine;
  std::vector<Parcel> parcels;
  parcels.push_back({0, bytes});
  Kinds all;
  std::vector<std::byte> answer;
  for (const Parcel& parcel : comm.exchange(std::move(parcels))) join(all, unpacked(parcel.bytes));
  if (comm.is_root()) answer = packed(all);
  comm.broadcast(answer);
  return unpacked(answer);
}

void put(WriteStep& step, const std::string& name, Kind kind, const ElementPart* part) {
  const ConstView no_numbers(Type::uint32, nullptr, 0, sizeof(std::uint32_t));
  const ConstView no_values(Type::float64, nullptr, 0, sizeof(double));
  kind.expansion.elements = name + "_elements";
  const std::size_t directions = kind.expansion.is_mixed() ? kind.expansion.basis.size() : 0;
  const std::string elements = kind.expansion.elements;
  step.table(name).expansion(std::move(kind.expansion));
  for (std::size_t v = 0; v < kind.variables.size(); ++v) {
    step.put(kind.variables[v], part != nullptr ? part->values[v] : no_values);
  }
  step.table(elements).put(id_column(), part != nullptr ? part->ids : no_numbers);
  for (std::size_t d = 0; d < directions; ++d) {
    step.put(modes_column(d), part != nullptr ? part->modes[d] : no_numbers);
  }
}

}  // namespace

void put_elements(WriteStep& step, Comm& comm, std::span<const ElementPart> mine) {
  std::map<PackedKind, std::vector<const ElementPart*>> parts;
  Kinds kinds;
  const auto failure = caught(comm.rank(), [&] {
    for (const ElementPart& part : mine) {
      check(part);
      if (part.ids.count == 0) continue;
      const PackedKind kind = kind_of(part);
      parts[kind].push_back(&part);
      ++kinds[kind];
    }
  });
  agree(comm, failure);
  std::map<std::string, std::uint64_t> of_shape;
  for (const auto& [packed_kind, times] : agreed(comm, kinds)) {
    const auto own = parts.find(packed_kind);
    for (std::uint64_t i = 0; i < times; ++i) {
      const Kind kind = unpack<Kind>(std::as_bytes(std::span(packed_kind)));
      const std::uint64_t count = ++of_shape[kind.expansion.shape];
      const std::string name = kind.expansion.shape + (count == 1 ? "" : "_" + std::to_string(count));
      const bool has = own != parts.end() && i < own->second.size();
      put(step, name, kind, has ? own->second[static_cast<std::size_t>(i)] : nullptr);
    }
  }
}

}  // namespace quire
