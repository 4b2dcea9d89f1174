#include "comm/world_size.hpp"

namespace quire {

int world_size() noexcept { return 1; }

}  // namespace quire
