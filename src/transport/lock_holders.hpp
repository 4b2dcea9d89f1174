#pragma once

#include <string>

#include "transport/descriptor.hpp"

namespace quire {

/// Independent. " (process 17, python3)": which processes of this machine hold a lock of the whole file, to be put
/// after a sentence. Empty where none is known.
[[nodiscard]] std::string holders_in_words(const Descriptor& file);

}  // namespace quire
