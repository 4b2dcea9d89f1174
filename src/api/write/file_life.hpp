#pragma once

#include <memory>
#include <utility>
#include <variant>

namespace quire {

class NewFile;

/// The life of a file that is being written, on each rank. A file of create() or append() is open from the beginning.
///
///     unmade ---> open ----------> closed, or given up
///        |                           ^
///        +------> open for a step ---+
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

  /// Before its ranks agree on the new file.
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

}  // namespace quire
