#pragma once

// What the tests of the engine phdf5 share: kinds of files, and both engines that write them.

#include <functional>
#include <string>
#include <vector>

#include "quire/quire.hpp"

namespace quire::test {

struct Kind {
  const char* name;
  const char* format;
  Options options;
};

/// Kinds of files that both engines write; fewer on more ranks than processors of a small machine, where the collective
/// calls of a spinning MPI are slow.
[[nodiscard]] std::vector<Kind> kinds();
/// Those whose chunks go through a filter that h5diff knows.
[[nodiscard]] std::vector<Kind> compressed_kinds();
/// The same as kinds(), with compressed ones where all ranks write together: only then the library compresses.
[[nodiscard]] std::vector<Kind> kinds(const std::string& transfer);

[[nodiscard]] WriteOptions by_direct(const Kind& kind);
[[nodiscard]] WriteOptions by_phdf5(const Kind& kind, const std::string& transfer);

/// Collective. Empty if h5diff finds the files equal, else what it says.
[[nodiscard]] std::string difference(const std::string& first, const std::string& second);

using Fill = std::function<void(WriteStep& step, std::int64_t number)>;

/// Collective. Writes steps 0 to `count` - 1.
void write_file(const std::string& path, const WriteOptions& options, std::int64_t count, const Fill& fill);

}  // namespace quire::test
