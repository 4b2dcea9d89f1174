#pragma once

#include <memory>
#include <string>

#include "quire/plan/byte_source.hpp"

namespace quire {

/// Independent. The bytes of the file that is called `name` and stands beside another one; null if there is none.
[[nodiscard]] std::shared_ptr<ByteSource> file_beside(const std::string& file, const std::string& name);

/// Independent. The same of a file that one refers to, which may also stand where this process is.
[[nodiscard]] std::shared_ptr<ByteSource> neighbour_of(const std::string& file, const std::string& name);

}  // namespace quire
