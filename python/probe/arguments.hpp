#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "method.hpp"

namespace quire::probe {

/// The command line: an action, and name=value for what it wants to know.
class Arguments {
 public:
  Arguments(int argc, char** argv);

  [[nodiscard]] const std::string& action() const { return action_; }
  [[nodiscard]] std::string text(const std::string& name, const std::string& preset = {}) const;
  /// Throws usage errors for what is no number.
  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t preset) const;
  /// The words of a list with commas between them.
  [[nodiscard]] std::vector<std::string> words(const std::string& name) const;
  /// Words that are name:value each.
  [[nodiscard]] Hints hints(const std::string& name) const;

 private:
  std::string action_;
  std::map<std::string, std::string> values_;
};

/// Rank 0 prints one line of fields between tabs for the program that started the probe. It is flushed at once, so
/// results before a hang are known.
void report(const Comm& comm, const std::vector<std::string>& fields);

}  // namespace quire::probe
