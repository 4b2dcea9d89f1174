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

/// Runs an action and keeps what it throws as an error, so that the rank can still take part in what follows. A lack of
/// memory becomes a memory error, other foreign exceptions become internal ones.
[[nodiscard]] std::optional<Error> caught(const std::function<void()>& action);
/// The same with this rank in the error, for the agreement that follows.
[[nodiscard]] std::optional<Error> caught(int rank, const std::function<void()>& action);

/// Collective. Rank 0 alone runs `action`; every rank returns its bytes or throws its error.
[[nodiscard]] std::vector<std::byte> from_root(Comm& comm, const std::function<std::vector<std::byte>()>& action);

/// What the ranks of a communicator must say alike when they open a file together.
struct Choice {
  std::string path;
  std::string transport;
  std::string format;         ///< empty: by suffix or content
  std::string compression{};  ///< of a file that is made anew
  std::string options{};      ///< in words
  /// The file that is opened, if the path is a directory: rank 0 looks.
  std::string first_file{};
  template <class Archive>
  void archive(Archive& a) {
    a(path, transport, format, compression, options, first_file);
  }
};

/// Of what all ranks say alike.
[[nodiscard]] std::uint64_t hash_of(Choice choice);

/// Options in words: name=value, name=value.
[[nodiscard]] std::string in_words(const Options& options);

/// What all ranks know when they have agreed.
struct Agreed {
  std::string first_file;       ///< that rank 0 has found
  std::vector<std::byte> said;  ///< by rank 0
  template <class Archive>
  void archive(Archive& a) {
    a(first_file, said);
  }
};

/// Collective. Throws a conflict error on every rank if a choice differs from that of rank 0, or the error of a rank
/// that has one already. One meeting, in which rank 0 runs `answer` if all ranks agree.
Agreed agree_on_choice(Comm& comm, const Choice& mine, const std::optional<Error>& error = std::nullopt,
                       const RootAnswer& answer = {}, Parting parting = Parting::received);

}  // namespace quire
