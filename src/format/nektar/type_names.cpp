#include "format/nektar/type_names.hpp"

#include <algorithm>

#include "format/nektar/basis.hpp"
#include "format/nektar/block.hpp"
#include "format/text/digits.hpp"

namespace quire::nektar {
namespace {

constexpr std::uint64_t mixed_bits(std::uint64_t value) { return value ^ (value >> 47U); }

std::uint64_t load(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[i]);
  return word;
}

/// The text that is hashed.
std::string name_of(const TypeGroup& group) {
  std::string text;
  for (const std::string& variable : group.variables) text += variable;
  for (const std::string& basis : group.basis) text += std::to_string(basis_number(basis));
  text += group.shape;
  for (const double length : group.lengths) text += text::significant(length, 6);
  if (group.order != "MIXORDER") text += group.order;
  return text;
}

}  // namespace

std::uint64_t string_hash(std::string_view text) {
  constexpr std::uint64_t factor = 0xC6A4A7935BD1E995;
  constexpr std::uint64_t seed = 0xC70F6907;
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::uint64_t hash = seed ^ (text.size() * factor);
  for (; text.size() >= word; text.remove_prefix(word)) {
    hash ^= mixed_bits(load(text.substr(0, word)) * factor) * factor;
    hash *= factor;
  }
  if (!text.empty()) {
    hash ^= load(text);
    hash *= factor;
  }
  return mixed_bits(mixed_bits(hash) * factor);
}

bool TypeGroup::is_same_kind(const TypeGroup& other) const {
  return variables == other.variables && basis == other.basis && shape == other.shape && lengths == other.lengths &&
         order == other.order;
}

std::vector<TypeGroup> type_groups(const StepDescription& step, const std::vector<BlockPair>& blocks,
                                   std::vector<std::size_t>& of_block) {
  const bool is_mixed = std::ranges::any_of(
      blocks, [&](const BlockPair& block) { return step.tables[block.values].expansion->is_mixed(); });
  std::vector<TypeGroup> groups;
  of_block.clear();
  for (const BlockPair& block : blocks) {
    const Table& table = step.tables[block.values];
    const Expansion& expansion = *table.expansion;
    TypeGroup group;
    for (const Column& column : table.columns) group.variables.push_back(column.name);
    group.basis = expansion.basis;
    group.shape = shape_text(expansion);
    group.lengths = expansion.lengths;
    group.order = is_mixed ? "MIXORDER" : "UNIORDER:" + join_list(expansion.modes);
    const auto same = std::ranges::find_if(groups, [&](const TypeGroup& other) { return group.is_same_kind(other); });
    of_block.push_back(static_cast<std::size_t>(same - groups.begin()));
    if (same != groups.end()) continue;
    group.hash = string_hash(name_of(group));
    while (group.hash == 0 || std::ranges::find(groups, group.hash, &TypeGroup::hash) != groups.end()) ++group.hash;
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace quire::nektar
