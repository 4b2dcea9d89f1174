#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "format/nektar/xml/block.hpp"

namespace quire::nektar {

/// The elements of the blocks found so far, by variable, planes and strips. Its size is that of the lists of ids as
/// texts.
class HeldElements {
 public:
  void add(const XmlBlock& block);
  /// Adds elements with unknown variables, planes and strips: they count as held with all of them.
  void add(const RangeList& ids);
  /// The first element of a block that another block also contains, with one of its variables and on the same planes
  /// and strips.
  [[nodiscard]] std::optional<std::uint64_t> repeated(const XmlBlock& block) const;

 private:
  /// Ids as runs that do not touch: from the first id of a run to the one after its last.
  using Runs = std::map<std::uint64_t, std::uint64_t>;
  static void add(Runs& runs, const RangeList& ids);
  /// The first of these ids that is in one of the runs.
  [[nodiscard]] static std::optional<std::uint64_t> common(const Runs& runs, const RangeList& ids);

  std::map<std::string, Runs> held_;
  Runs anyhow_;  ///< held with all variables
};

}  // namespace quire::nektar
