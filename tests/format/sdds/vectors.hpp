#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "quire/spi/format/describer.hpp"
#include "support/json.hpp"
#include "support/memory_source.hpp"

namespace quire::test {

/// A vector and its entry in the index.
struct Vector {
  std::string name;
  bool canonical = false;
  std::string writer;

  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] Json truth() const;
  [[nodiscard]] bool is_compressed() const;
};
void PrintTo(const Vector& vector, std::ostream* out);
/// The name of a parametrised test.
[[nodiscard]] std::string test_name(const std::string& vector);

/// All vectors of the folder, by name.
[[nodiscard]] std::vector<Vector> all_vectors();
/// The vectors with this `open` ("ok" or "fail") and `mode` (any if empty) in their truths, without compressed ones.
[[nodiscard]] std::vector<Vector> vectors(const std::string& open, const std::string& mode);

/// Access to the files of the folder, for included files.
[[nodiscard]] DescribeContext context_of(const std::string& name);

/// The whole of a file in the folder.
[[nodiscard]] std::string read_vector(const std::string& name);

}  // namespace quire::test
