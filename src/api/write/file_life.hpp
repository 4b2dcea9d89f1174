#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "quire/base/error.hpp"

namespace quire {

class NewFile;

/// The life of a file that is being written, on each rank. A file of create() or append() is open from the beginning.
///
///     unmade --+--> open -----------+--> closed
///              |                    |
///              +--> open for step --+--> given up
///              |
///              +--> closed, if write_file() fails before its ranks agree
///
/// Closed and given up are the ends: the rank is in close() or abort(), or has left it.
class FileLife {
 public:
  /// Of write_file(), until its ranks agree on the file.
  struct Unmade {
    std::shared_ptr<NewFile> file;
  };
  struct Open {};
  /// Of write_file(), after its ranks have agreed on the file together with its step, whose commit closes it, too.
  struct OpenForStep {};
  /// By close(), or because write_file() has failed.
  struct Closed {};
  /// By abort().
  struct GivenUp {};

  /// The ranks are to agree on this new file.
  void await(std::shared_ptr<NewFile> file) { now_ = Unmade{std::move(file)}; }
  void open() { now_ = Open{}; }
  void open_for_step() { now_ = OpenForStep{}; }
  void close() { now_ = Closed{}; }
  void give_up() { now_ = GivenUp{}; }

  /// The new file on which the ranks have not agreed; otherwise null.
  [[nodiscard]] NewFile* unmade() const noexcept {
    const auto* const unmade = std::get_if<Unmade>(&now_);
    return unmade != nullptr ? unmade->file.get() : nullptr;
  }
  [[nodiscard]] bool ends_with_step() const noexcept { return is<OpenForStep>(); }
  [[nodiscard]] bool is_given_up() const noexcept { return is<GivenUp>(); }
  [[nodiscard]] bool has_ended() const noexcept { return is<Closed>() || is<GivenUp>(); }

 private:
  template <class Stage>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<Stage>(now_);
  }

  std::variant<Open, Unmade, OpenForStep, Closed, GivenUp> now_{};
};

/// What has become of the steps that this writer has begun.
enum class Steps : std::uint8_t {
  none,         ///< none was begun
  failed,       ///< none is in the file
  committed,    ///< one or several are in the file
  interrupted,  ///< the publication of the last one was interrupted, and cannot be rolled back: none may follow
};

/// This rank's side of a file after it is closed.
struct ClosedSide {
  std::optional<Error> failure{};  ///< of closing it
};

/// What the end of write_file(), or of a file of a series, does with a new file that has not replaced the older one
/// together with its step.
enum class Incomplete : std::uint8_t { kept, dropped };

}  // namespace quire
