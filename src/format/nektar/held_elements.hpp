#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "format/nektar/xml_block.hpp"

namespace quire::nektar {

/// Of which elements there are blocks, variable by variable and on which planes and strips: as large as the lists of
/// ids are as texts.
class HeldElements {
 public:
  void add(const XmlBlock& block);
  /// Elements of which nobody knows the variables, planes and strips: they count as held with all.
  void add(const RangeList& ids);
  /// The first element of a block that another one holds, too: with one of its variables, on the same planes and
  /// strips.
  [[nodiscard]] std::optional<std::uint64_t> repeated(const XmlBlock& block) const;

 private:
  /// Ids as runs that do not touch: the first one of each, and the one behind its last.
  using Runs = std::map<std::uint64_t, std::uint64_t>;
  static void add(Runs& runs, const RangeList& ids);
  /// The first one of them that is among those runs.
  [[nodiscard]] static std::optional<std::uint64_t> common(const Runs& runs, const RangeList& ids);

  std::map<std::string, Runs> held_;
  Runs anyhow_;  ///< with all variables
};

}  // namespace quire::nektar
