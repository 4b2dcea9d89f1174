#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quire/format/format.hpp"

namespace quire::nektar {

/// The two tables of a block in a step that is written.
struct BlockPair {
  std::size_t values = 0;
  std::size_t elements = 0;
};

/// The blocks of a step. Throws unsupported errors for tables that are none.
[[nodiscard]] std::vector<BlockPair> blocks_of(const StepDescription& step);

/// What the writer was asked for.
struct Rules {
  std::string version;    ///< of the program that is told to have written the file, if the step tells none
  std::string timestamp;  ///< likewise; empty: none, `now`: the clock
  std::string hostname;   ///< likewise; empty: none, `here`: the machine
  std::string layout;     ///< as the option calls it

  /// The layout has numbers for bases, which an old version would belie.
  [[nodiscard]] bool numbers_bases() const { return layout == "hdf5" || layout == "streams"; }
  [[nodiscard]] bool asks_clock() const { return timestamp == "now"; }
  [[nodiscard]] bool asks_machine() const { return hostname == "here"; }
};

/// A step as a file of this format holds it: metadata of file and step as texts, the number of the step among them.
/// Throws unsupported, usage and type errors for what it cannot.
[[nodiscard]] StepDescription accept_step(const StepDescription& step, const std::vector<Attribute>& file_attributes,
                                          const Rules& rules);

/// The metadata of an accepted step with the clock's and the machine's answers, if the rules ask for them. Ranks get
/// different ones, so they are no part of what they have to agree on: each writes its own, as in the reference.
[[nodiscard]] std::vector<Attribute> with_surroundings(std::vector<Attribute> metadata, const Rules& rules);

/// What of a file and a step can be held, with everything that is lost or replaced told in sentences. Throws what
/// accept_step() throws for bases and names of variables.
[[nodiscard]] Fit fit_step(const FileDescription& file, const StepDescription& step, const Rules& rules);

/// Of the elements of a block that a rank brings: the modes of all, if they are mixed, element by element.
[[nodiscard]] std::vector<std::uint64_t> modes_of(const StepPart& part, const BlockPair& block);
/// Throws usage errors unless a rank brings as many coefficients as its elements have, and no id twice.
void check_block(const StepPart& part, const BlockPair& block);

/// The numbers of a column of whole numbers, as given by a rank. Throws type errors for those beyond 32 bits.
[[nodiscard]] std::vector<std::uint32_t> numbers_of(const ConstView& view, const std::string& name);

}  // namespace quire::nektar
