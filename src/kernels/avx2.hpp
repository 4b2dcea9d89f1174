#pragma once

#include "kernels/version.hpp"

namespace quire::kernels {

/// The AVX2 version, or null if this processor (or this build) does not support it.
[[nodiscard]] const Version* avx2_version() noexcept;

}  // namespace quire::kernels
