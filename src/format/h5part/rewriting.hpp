#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "quire/format/options.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// What happens if a step with this number already exists in the file.
enum class Existing : std::uint8_t {
  refuse,     ///< a conflict error
  replace,    ///< the new step replaces it
  add,        ///< new objects are added to it; names that exist are conflict errors
  overwrite,  ///< new objects are added to it and replace those of the same name
};

/// The option `existing`. Throws usage errors that list its values.
[[nodiscard]] Existing existing_option(const CheckedOptions& options);

/// In a session that writes: calls `write` to create a step under a given name, and moves it to its place in the file
/// according to `mode`. The old step of this number is named `<prefix>#<number>` in any width.
///
/// Returns the paths of objects to drop after all new objects are created: otherwise HDF5 would reuse their space.
/// Throws conflict errors for names that exist, and for columns whose length differs from that of the step; unsupported
/// errors for steps in other files.
[[nodiscard]] std::vector<std::string> write_over(hid_t file, Image& image, const std::string& name,
                                                  const StepDescription& step, std::uint64_t rows, Existing mode,
                                                  const std::function<void(const std::string& name)>& write);

}  // namespace quire::hdf5
