#pragma once

#include "quire/kernels/version.hpp"

namespace quire::kernels {

/// The AVX2 version, or nothing if this processor (or this build) has none.
[[nodiscard]] const Version* avx2_version() noexcept;

}  // namespace quire::kernels
