#include "kernels/avx2.hpp"

namespace quire::kernels {

const Version* avx2_version() noexcept { return nullptr; }

}  // namespace quire::kernels
