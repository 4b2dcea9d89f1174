#pragma once

#include <string>

#include "transport/descriptor.hpp"

namespace quire {

/// Independent. Whether a process of this machine has locked the whole file to write it.
[[nodiscard]] bool is_locked_whole(const Descriptor& file);

/// Independent. " (process 17, python3)": which processes of this machine hold a lock of the whole file, to be put
/// after a sentence. Empty where none is known.
[[nodiscard]] std::string holders_in_words(const Descriptor& file);

}  // namespace quire
