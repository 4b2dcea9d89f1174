#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// What becomes of a step whose number is in the file already.
enum class Existing : std::uint8_t {
  refuse,     ///< nothing: a conflict error
  replace,    ///< it goes, the new one takes its place
  add,        ///< it gets what is new; names that it has are conflict errors
  overwrite,  ///< it gets what is new, also in the place of what it has
};

/// The option `existing`. Throws usage errors that list the words.
[[nodiscard]] Existing existing_option(const CheckedOptions& options);

/// In a session that writes: lets `write` make a step under the name that it is given, and gives that the place in the
/// file which `mode` says. The old step of this number is called `<prefix>#<number>` in any width.
///
/// Returns the paths of what must be dropped when everything is made: HDF5 would use the space that becomes free.
/// Throws conflict errors for names that are taken, and for columns of another length than those of the step;
/// unsupported errors for steps in other files.
[[nodiscard]] std::vector<std::string> write_over(hid_t file, const std::string& name, const StepDescription& step,
                                                  std::uint64_t rows, Existing mode,
                                                  const std::function<void(const std::string& name)>& write);

}  // namespace quire::h5
