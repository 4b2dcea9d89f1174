#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "api/write/transport_knobs.hpp"
#include "api/write/writer_state.hpp"

namespace quire {

/// What the ranks must say alike about a file that they write.
[[nodiscard]] Choice choice_of(const std::string& path, const WriteOptions& options);

/// Adds an option, in words.
void add_word(Choice& choice, const std::string& name, const std::string& value);

[[nodiscard]] TransportOptions transport_options(const Writer::State& state);

/// A file that is to be made, before its ranks have agreed on it: each brings its side, then rank 0 makes the file and
/// tells the others in the meeting in which they agree.
class NewFile {
 public:
  /// Independent. What is wrong here stays in error() for that meeting.
  explicit NewFile(Writer::State& state);

  [[nodiscard]] const Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  /// Whether the ranks can agree on the file in the first meeting of a step.
  [[nodiscard]] bool joins_step() const noexcept { return joins_step_; }

  /// Rank 0, when all ranks are known to make the same file; `prepare` is what comes before other ranks write. What
  /// they are to be told; never throws.
  [[nodiscard]] std::vector<std::byte> make(const std::function<void()>& prepare = {});
  /// Collective, after something has failed or differs: throws what this rank brings, or how ranks choose differently.
  void require_alike(const std::optional<Error>& error) const;
  /// Independent where the file was made by rank 0 alone. Else collective: all ranks throw why it could not be made or
  /// opened. What fails after that on one of them is returned there, and fails the first step.
  [[nodiscard]] std::optional<Error> settle(std::span<const std::byte> made);

  /// What is said about the file beside what its planner takes.
  struct Asked {
    Striping striping{};
    bool makes_set = false;  ///< or may do so: of streams that is known when they are placed
  };

 private:
  /// Independent. What stands between the planner and the file.
  void complete();
  /// Rank 0: nothing stays of what it could not make to the end.
  void take_back();

  Writer::State& state_;
  Asked asked_;
  bool joins_step_ = false;
  Choice choice_;
  std::optional<Error> error_;
  std::optional<Error> failure_;  ///< rank 0: why it could not be made
};

}  // namespace quire
