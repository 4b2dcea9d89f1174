#pragma once

#include <string>

#include "quire/comm/comm.hpp"

namespace quire::test {

/// All ranks of the test: the world in an MPI build, otherwise the one process.
[[nodiscard]] Comm everyone();

/// The transport that this run was registered with; "posix" if none.
[[nodiscard]] std::string transport();

/// A path inside the folder of this run, the same on every rank.
[[nodiscard]] std::string path(const std::string& name);

/// The contents of a file.
[[nodiscard]] std::string bytes_of(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace quire::test
