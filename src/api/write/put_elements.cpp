#include "api/write/put_elements.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "api/root.hpp"
#include "api/write/step_state.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/load.hpp"

namespace quire {
namespace {

/// The bytes that define a kind: an expansion without the names of its origin and of its tables.
template <class Archive, class SomeExpansion, class Names>
void archive_kind(Archive& a, SomeExpansion& of, Names& variables) {
  a(of.shape, of.basis, of.modes, of.lengths, of.y_ids, of.z_ids, of.strips, of.strip_ids, of.points, of.point_counts,
    variables);
}

/// One of the kinds.
struct ElementKind {
  Expansion expansion;
  std::vector<std::string> variables;
};

std::string kind_of(const ElementPart& part) {
  Packer packer;
  archive_kind(packer, part.expansion, part.variables);
  const auto bytes = packer.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ElementKind kind_in(const std::string& packed) {
  ElementKind kind;
  Unpacker unpacker(std::as_bytes(std::span(packed)));
  archive_kind(unpacker, kind.expansion, kind.variables);
  return kind;
}

[[noreturn]] void refuse(const ElementPart& part, const std::string& what) {
  throw Error(ErrorKind::usage, "a part of " + part.expansion.shape + "s " + what);
}

/// The number of coefficients of the elements of a part.
std::uint64_t coefficients_of(const ElementPart& part) {
  const Expansion& expansion = part.expansion;
  if (!expansion.is_mixed()) return checked_multiply(part.ids.count, element_coefficients(expansion, expansion.modes));
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> modes(part.modes.size());
  for (std::uint64_t i = 0; i < part.ids.count; ++i) {
    for (std::size_t d = 0; d < modes.size(); ++d) {
      const ConstView& view = part.modes[d];
      modes[d] = load_at<std::uint32_t>(view.data + static_cast<std::ptrdiff_t>(i) * view.stride);
    }
    sum = checked_add(sum, element_coefficients(expansion, modes));
  }
  return sum;
}

void require_consistent(const ElementPart& part) {
  check_expansion(part.expansion);
  if (part.variables.empty()) refuse(part, "has no variables");
  if (part.values.size() != part.variables.size()) refuse(part, "has different numbers of variables and arrays");
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
    refuse(part, "needs " + std::to_string(count) + " coefficients of type float64 of " + part.variables[v] +
                     ", and has " + std::to_string(part.values[v].count) + " of type " +
                     std::string(name(part.values[v].type)));
  }
}

/// A contradiction in a file is damage; in a part that a program puts it is a usage error.
void check(const ElementPart& part) {
  try {
    require_consistent(part);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    throw Error(ErrorKind::usage, error.message()).on(error.object());
  }
}

void join(ElementKinds& all, const ElementKinds& more) {
  for (const auto& [kind, times] : more) all[kind] = std::max(all[kind], times);
}

std::vector<std::byte> packed(const ElementKinds& kinds) {
  Packer packer;
  packer(static_cast<std::uint64_t>(kinds.size()));
  for (const auto& [kind, times] : kinds) packer(kind, times);
  return packer.take();
}

ElementKinds unpacked(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  std::uint64_t count = 0;
  unpacker(count);
  ElementKinds kinds;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string kind;
    std::uint64_t times = 0;
    unpacker(kind, times);
    kinds.emplace(std::move(kind), times);
  }
  return kinds;
}

/// This rank's parts that have elements, by their kinds. All parts are checked.
PartsOfKinds parts_of_kinds(const std::vector<ElementPart>& parts) {
  PartsOfKinds found;
  for (const ElementPart& part : parts) {
    check(part);
    if (part.ids.count > 0) found[kind_of(part)].push_back(&part);
  }
  return found;
}

ElementKinds kinds_of(const PartsOfKinds& parts) {
  ElementKinds kinds;
  for (const auto& [kind, of_kind] : parts) kinds.emplace(kind, of_kind.size());
  return kinds;
}

ElementKinds kinds_of(const std::vector<ElementPart>& parts) { return kinds_of(parts_of_kinds(parts)); }

/// Whether this rank has the same kinds as in an earlier checkpoint.
bool are_same(const ElementKinds& earlier, const PartsOfKinds& parts) {
  return std::ranges::equal(earlier, parts, [](const auto& kind, const auto& of_kind) {
    return kind.first == of_kind.first && kind.second == of_kind.second.size();
  });
}

/// Whether an earlier checkpoint had its kinds exchanged, and this rank has the same ones as then.
bool holds_for(const ElementLayout::State& layout, const PendingElements& pending, const Comm& comm) {
  return layout.agreed && layout.rank == comm.rank() && layout.size == comm.size() &&
         are_same(layout.mine, pending.of_kinds);
}

/// Puts the tables of a kind, with a part of this rank or with nothing.
void put(StepBuilder& builder, const std::string& name, Expansion expansion, const std::vector<std::string>& variables,
         const ElementPart* part) {
  const ConstView no_numbers(Type::uint32, nullptr, 0, sizeof(std::uint32_t));
  const ConstView no_values(Type::float64, nullptr, 0, sizeof(double));
  const std::string elements = name + "_elements";
  const std::size_t directions = expansion.is_mixed() ? expansion.basis.size() : 0;
  expansion.elements = elements;
  expansion.origin.clear();
  builder.table(name, variables.size());
  builder.expansion(std::move(expansion));
  for (std::size_t v = 0; v < variables.size(); ++v) {
    builder.put(variables[v], {}, part != nullptr ? part->values[v] : no_values);
  }
  builder.table(elements, 1 + directions);
  builder.put(id_column(), {}, part != nullptr ? part->ids : no_numbers);
  for (std::size_t d = 0; d < directions; ++d) {
    builder.put(modes_column(d), {}, part != nullptr ? part->modes[d] : no_numbers);
  }
}

/// Puts tables for all kinds, with the parts of this rank.
void put_all(StepBuilder& builder, const ElementKinds& kinds, const PartsOfKinds& parts) {
  std::map<std::string, std::uint64_t> of_shape;
  for (const auto& [packed_kind, times] : kinds) {
    const auto own = parts.find(packed_kind);
    std::optional<ElementKind> of_others;
    if (own == parts.end()) of_others = kind_in(packed_kind);
    const Expansion& expansion = of_others ? of_others->expansion : own->second.front()->expansion;
    const auto& variables = of_others ? of_others->variables : own->second.front()->variables;
    for (std::uint64_t i = 0; i < times; ++i) {
      const std::uint64_t count = ++of_shape[expansion.shape];
      const std::string name = count == 1 ? expansion.shape : expansion.shape + "_" + std::to_string(count);
      const bool has = !of_others && i < own->second.size();
      put(builder, name, expansion, variables, has ? own->second[static_cast<std::size_t>(i)] : nullptr);
    }
  }
}

/// Drops what was planned for other tables.
void void_plans(WriteStep::State& step) {
  if (step.part != nullptr) step.writer->planner->advance(*step.part, {}, false);
  step.table_names.clear();
  step.table_index.clear();
  step.packed.clear();
}

/// Throws unsupported errors for files that hold no elements, with the names of formats that do.
void require_place_for_elements(const Writer::State& writer) {
  if (format_named(writer.file.format).holds_elements) return;
  std::string names;
  for (const Format* format : formats()) {
    if (format->holds_elements) names += (names.empty() ? "" : " or ") + std::string(format->name);
  }
  throw Error(ErrorKind::unsupported, "files of this format hold no elements").advise("choose the format " + names);
}

}  // namespace

ElementLayout::ElementLayout() : state_(std::make_shared<State>()) {}
std::uint64_t ElementLayout::distributions() const noexcept { return state_->distributed; }
std::uint64_t ElementLayout::reused() const noexcept { return state_->reused; }

void put_elements(WriteStep& step, std::span<const ElementPart> mine, const ElementLayout& layout) {
  WriteStep::State& state = *step.state_;
  state.require_unweighed("put_elements");
  if (!state.elements) state.elements.emplace();
  state.elements->layout = layout.state();
  state.elements->parts.insert(state.elements->parts.end(), mine.begin(), mine.end());
}

void lay_out_elements(WriteStep::State& step) {
  if (!step.elements) return;
  PendingElements& pending = *step.elements;
  Writer::State& writer = *step.writer;
  require_place_for_elements(writer);
  if (!pending.without) {
    pending.of_kinds = parts_of_kinds(pending.parts);
    pending.without = step.builder;
  } else {
    step.builder = *pending.without;
  }
  const ElementLayout::State& layout = *pending.layout;
  if (pending.joined) {
    pending.used = pending.joined;
  } else if (holds_for(layout, pending, writer.comm)) {
    pending.used = layout.all;
  } else {
    pending.used = std::make_shared<const ElementKinds>(kinds_of(pending.of_kinds));
  }
  put_all(step.builder, *pending.used, pending.of_kinds);
  if (step.builder.error()) throw Error(*step.builder.error());
}

void agree_on_elements(WriteStep::State& step) {
  if (!step.elements || step.elements->joined) return;
  PendingElements& pending = *step.elements;
  Writer::State& writer = *step.writer;
  const PlannerCapabilities can = writer.capabilities();
  const bool encodes = can.weigher != nullptr && !pending.layout->agreed;
  if (!encodes && !can.encodes_together()) return;
  // Ranks that put none are in the first collective of such a step.
  Proposal mine{.call = can.encodes_together() ? Call::rows : step.call, .elements = true};
  auto error = caught(writer.comm.rank(), [&] {
    const auto bytes = packed(kinds_of(pending.parts));
    mine.structure = XXH3_64bits(bytes.data(), bytes.size());
  });
  // Invalid parts of this rank are its error, before all ranks have the tables of all.
  if (!error && step.phase != WriteStep::State::Phase::weighing) {
    error = accept_step(step);
    void_plans(step);
  }
  mine.failed = error.has_value();
  const Consensus all = propose(writer.comm, mine);
  if (!all.goes_on(mine.call, error)) fail_together(step, error);
  if (!all.elements) {
    // The ranks that put none have accepted their step and are in the same collective: the steps can be compared.
    static_cast<void>(accept_step(step));
    fail_for_structure(step);
  }
  if (!all.same_structure) {
    join_elements(step);
  } else {
    pending.joined = std::make_shared<const ElementKinds>(kinds_of(pending.parts));
  }
}

void join_elements(WriteStep::State& step) {
  PendingElements& pending = *step.elements;
  Writer::State& writer = *step.writer;
  Comm& comm = writer.comm;
  std::vector<Parcel> parcels;
  parcels.push_back({0, packed(kinds_of(pending.parts))});
  std::vector<std::byte> answer;
  ElementKinds all;
  for (const Parcel& parcel : comm.exchange(std::move(parcels))) join(all, unpacked(parcel.bytes));
  if (comm.is_root()) answer = packed(all);
  comm.broadcast(answer);
  pending.joined = std::make_shared<const ElementKinds>(unpacked(answer));
  void_plans(step);
}

void keep_layout(WriteStep::State& step) {
  if (!step.elements) return;
  PendingElements& pending = *step.elements;
  const Writer::State& writer = *step.writer;
  ElementLayout::State& layout = *pending.layout;
  const bool is_same = layout.all == pending.used || (layout.all && *layout.all == *pending.used);
  const bool is_known = layout.agreed && !pending.joined && is_same;
  ++(is_known ? layout.reused : layout.distributed);
  layout.agreed = true;
  layout.rank = writer.comm.rank();
  layout.size = writer.comm.size();
  if (!are_same(layout.mine, pending.of_kinds)) layout.mine = kinds_of(pending.of_kinds);
  layout.all = std::move(pending.used);
}

}  // namespace quire
