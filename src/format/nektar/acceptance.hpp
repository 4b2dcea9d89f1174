#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quire/spi/format/fit.hpp"
#include "quire/spi/format/step_part.hpp"

namespace quire::nektar {

/// The two tables of a block in a step that is written.
struct BlockPair {
  std::size_t values = 0;
  std::size_t elements = 0;
};

/// Returns the blocks of a step. Throws unsupported errors for tables that do not belong to a block.
[[nodiscard]] std::vector<BlockPair> blocks_of(const StepDescription& step);

/// The options of the writer.
struct Rules {
  std::string version;    ///< of the program, written if the step has none
  std::string timestamp;  ///< written if the step has none; empty: none; `now`: the current time
  std::string hostname;   ///< written if the step has none; empty: none; `here`: the name of this machine
  std::string layout;     ///< the value of the option

  /// The layout stores bases as numbers, whose meaning depends on the version.
  [[nodiscard]] bool numbers_bases() const { return layout == "hdf5" || layout == "streams"; }
  [[nodiscard]] bool asks_clock() const { return timestamp == "now"; }
  [[nodiscard]] bool asks_machine() const { return hostname == "here"; }
};

/// A step as this format stores it: the metadata of file and step as texts, including the number of the step. Throws
/// unsupported, usage and type errors for what cannot be stored.
[[nodiscard]] StepDescription accept_step(const StepDescription& step, const std::vector<Attribute>& file_attributes,
                                          const Rules& rules);

/// The metadata of an accepted step, with the current time and the name of the machine if the rules ask for them. These
/// differ between ranks and are not compared: each rank writes its own, like the reference.
[[nodiscard]] std::vector<Attribute> with_surroundings(std::vector<Attribute> metadata, const Rules& rules);

/// What can be stored of a file and a step, with a sentence for everything that is lost or replaced. Throws the errors
/// of accept_step() for bases and names of variables.
[[nodiscard]] Fit fit_step(const FileDescription& file, const StepDescription& step, const Rules& rules);

/// The modes of the elements of a block that a rank writes, element by element; empty unless they are mixed.
[[nodiscard]] std::vector<std::uint64_t> modes_of(const StepPart& part, const BlockPair& block);
/// Throws usage errors unless a rank gives as many coefficients as its elements have, and each id once.
void check_block(const StepPart& part, const BlockPair& block);

/// The values of an integer column, as given by a rank. Throws type errors for values beyond 32 bits.
[[nodiscard]] std::vector<std::uint32_t> numbers_of(const ConstView& view, const std::string& name);

}  // namespace quire::nektar
