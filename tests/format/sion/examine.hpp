#pragma once

#include <cstddef>
#include <span>

namespace quire::test {

/// Describes any bytes as a multifile and looks at everything that is described: it lies in the file, or a quire::Error
/// says why there is nothing. Throws std::logic_error for what a describer must never answer.
void examine(std::span<const std::byte> bytes);

}  // namespace quire::test
