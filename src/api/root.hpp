#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/format/options.hpp"

namespace quire {

/// Runs an action and returns what it throws as an error, so that the rank can still take part in the following
/// collectives. A lack of memory becomes a memory error, other foreign exceptions become internal ones.
[[nodiscard]] std::optional<Error> caught(const std::function<void()>& action);
/// The same with this rank in the error, for the agreement that follows.
[[nodiscard]] std::optional<Error> caught(int rank, const std::function<void()>& action);

/// Collective. Rank 0 alone runs `action`; every rank returns its bytes or throws its error.
[[nodiscard]] std::vector<std::byte> from_root(Comm& comm, const std::function<std::vector<std::byte>()>& action);

/// What the ranks of a communicator must pass alike when they open a file together.
struct Choice {
  std::string path;
  std::string transport;
  std::string format;         ///< empty: by suffix or content
  std::string compression{};  ///< of a new file
  std::string options{};      ///< as text
  /// The file that is opened, if the path is a directory: determined by rank 0.
  std::string first_file{};
  template <class Archive>
  void archive(Archive& a) {
    a(path, transport, format, compression, options, first_file);
  }
};

/// The hash of the members that must be the same on all ranks.
[[nodiscard]] std::uint64_t hash_of(Choice choice);

/// Options as text: name=value, name=value.
[[nodiscard]] std::string in_words(const Options& options);

/// The result of the agreement, on all ranks.
struct Agreed {
  std::string first_file;         ///< found by rank 0
  std::vector<std::byte> answer;  ///< of rank 0
  template <class Archive>
  void archive(Archive& a) {
    a(first_file, answer);
  }
};

/// Collective. Throws a conflict error on every rank if a choice differs from that of rank 0, or the error of a rank
/// that passes one. One collective, in which rank 0 runs `answer` if all ranks agree.
Agreed agree_on_choice(Comm& comm, const Choice& mine, const std::optional<Error>& error = std::nullopt,
                       const RootAnswer& answer = {});

}  // namespace quire
