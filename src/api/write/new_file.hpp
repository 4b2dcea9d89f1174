#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "api/write/transport_knobs.hpp"
#include "api/write/writer_state.hpp"

namespace quire {

/// The options of a file to be written that must be the same on all ranks.
[[nodiscard]] Choice choice_of(const std::string& path, const WriteOptions& options);

/// Collective. Creates a file with these attributes and texts, as create() does.
[[nodiscard]] std::shared_ptr<Writer::State> create_file(const std::string& path, const Comm& comm,
                                                         const WriteOptions& options, const FileDescription& file);

/// Adds an option, as text.
void add_word(Choice& choice, const std::string& name, const std::string& value);

[[nodiscard]] TransportOptions transport_options(const Writer::State& state);

/// A file that is created when its ranks agree on it: each prepares its side, then rank 0 creates the file and sends
/// the result in the collective in which they agree.
class NewFile {
 public:
  /// Independent. Errors of this rank stay in error() for that collective.
  explicit NewFile(Writer::State& state);

  [[nodiscard]] const Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

  /// Whether the ranks can agree on the file in the first collective of a step.
  [[nodiscard]] bool joins_step() const noexcept { return joins_step_; }

  /// Rank 0, when all ranks are known to create the same file; `prepare` runs before other ranks write. Returns the
  /// message for the others; never throws.
  [[nodiscard]] std::vector<std::byte> make(const std::function<void()>& prepare = {});
  /// Collective, after a failure or a difference: throws the error of this rank, or the difference of the choices.
  void require_alike(const std::optional<Error>& error) const;
  /// Independent if the file was created by rank 0 alone, otherwise collective: all ranks throw why it could not be
  /// created or opened. A later failure on one of them is returned there, and fails the first step.
  [[nodiscard]] std::optional<Error> settle(std::span<const std::byte> made);

  /// Options of the file other than those of its planner.
  struct Asked {
    Striping striping{};
    bool makes_set = false;  ///< or may do so: of streams this is known when they are placed
  };

 private:
  /// Independent. Adds the layers between the planner and the file.
  void complete();
  /// Rank 0: removes a file that could not be completed.
  void take_back();

  Writer::State& state_;
  Asked asked_;
  bool joins_step_ = false;
  Choice choice_;
  std::optional<Error> error_;
  std::optional<Error> failure_;  ///< rank 0: why it could not be made
};

}  // namespace quire
