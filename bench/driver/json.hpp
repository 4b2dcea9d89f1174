#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

namespace quire::bench {

using Json = nlohmann::ordered_json;

/// Writes an object as one line on standard output.
inline void print_line(const Json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace quire::bench
