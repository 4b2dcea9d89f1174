#pragma once

// Shared by the tests of the engine phdf5: kinds of files, and options of both engines.

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

/// Kinds of files that both engines write. On more ranks than the processors of a small machine there are fewer,
/// because collective calls of a spinning MPI are slow there.
[[nodiscard]] std::vector<Kind> kinds();
/// Kinds whose chunks have a filter that h5diff knows.
[[nodiscard]] std::vector<Kind> compressed_kinds();
/// kinds(), plus compressed ones for collective transfers: the library compresses only these.
[[nodiscard]] std::vector<Kind> kinds(const std::string& transfer);

[[nodiscard]] WriteOptions by_direct(const Kind& kind);
[[nodiscard]] WriteOptions by_phdf5(const Kind& kind, const std::string& transfer);

/// Collective. Empty if h5diff finds the files equal, otherwise its output.
[[nodiscard]] std::string difference(const std::string& first, const std::string& second);

using Fill = std::function<void(WriteStep& step, std::int64_t number)>;

/// Collective. Writes steps 0 to `count` - 1.
void write_file(const std::string& path, const WriteOptions& options, std::int64_t count, const Fill& fill);

}  // namespace quire::test
