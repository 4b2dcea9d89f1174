#pragma once

#include <string>

#include "transport/descriptor.hpp"

namespace quire {

/// Independent. Whether a process on this machine holds an exclusive lock of the whole file.
[[nodiscard]] bool is_locked_whole(const Descriptor& file);

/// Independent. " (process 17, python3)": the processes on this machine that hold a lock of the whole file, to be
/// appended to a sentence. Empty if none is known.
[[nodiscard]] std::string holders_in_words(const Descriptor& file);

}  // namespace quire
