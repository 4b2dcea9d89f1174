#pragma once

namespace quire::kernels {

/// Whether this processor supports the functions that are compiled for AVX2.
[[nodiscard]] inline bool has_avx2() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace quire::kernels
