#include "api/root.hpp"

#include <xxhash.h>

#include <array>
#include <exception>
#include <new>

#include "comm/alone.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

struct Outcome {
  bool failed = false;
  std::vector<std::byte> bytes;
  template <class Archive>
  void archive(Archive& a) {
    a(failed, bytes);
  }
};

}  // namespace

std::optional<Error> caught(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::memory, "there is not enough memory");
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  }
}

std::optional<Error> caught(int rank, const std::function<void()>& action) {
  auto error = caught(action);
  if (error && !error->rank()) error->from_rank(rank);
  return error;
}

std::vector<std::byte> from_root(Comm& comm, const std::function<std::vector<std::byte>()>& action) {
  std::vector<std::byte> message;
  if (comm.is_root()) {
    Outcome answer;
    const auto error = caught(comm.rank(), [&] { answer.bytes = action(); });
    if (error) answer = {true, error_seen_by(comm, *error).pack()};
    message = pack(answer);
  }
  comm.broadcast(message);
  auto answer = unpack<Outcome>(message);
  if (answer.failed) throw Error::unpack(answer.bytes);
  return std::move(answer.bytes);
}

std::string in_words(const Options& options) {
  std::string words;
  for (const auto& [name, value] : options) words += (words.empty() ? "" : ", ") + name + "=" + value;
  return words;
}

std::uint64_t hash_of(Choice choice) {
  choice.first_file.clear();
  const std::vector<std::byte> bytes = pack(choice);
  return XXH3_64bits(bytes.data(), bytes.size());
}

namespace {

/// Collective, after ranks have failed or passed different choices: throws the reason, on all ranks.
[[noreturn]] void throw_difference(Comm& comm, const Choice& mine, std::optional<Error> error) {
  std::vector<std::byte> message = pack(mine);
  comm.broadcast(message);
  const auto root = unpack<Choice>(message);
  const auto compare = [&](const std::string& own, const std::string& other, const std::string& what) {
    if (error || own == other) return;
    error = Error(ErrorKind::conflict,
                  "rank 0 opens it with " + what + " \"" + other + "\", this rank with \"" + own + "\"")
                .in_file(mine.path)
                .from_rank(comm.rank())
                .advise("ranks that open files of their own do so on communicators of their own");
  };
  compare(mine.path, root.path, "the path");
  compare(mine.transport, root.transport, "the transport");
  compare(mine.format, root.format, "the format");
  compare(mine.compression, root.compression, "the compression");
  compare(mine.options, root.options, "the options");
  agree(comm, error);
  throw Error(ErrorKind::internal, "ranks open a file differently, and no choice differs").in_file(mine.path);
}

}  // namespace

Agreed agree_on_choice(Comm& comm, const Choice& mine, const std::optional<Error>& error, const RootAnswer& answer) {
  const std::uint64_t hash = hash_of(mine);
  // The greatest hash and, by its complement, the smallest.
  std::array<std::uint64_t, 3> words{error ? std::uint64_t{1} : 0, hash, ~hash};
  const auto are_alike = [&] { return words[0] == 0 && words[1] == ~words[2]; };
  const auto result = comm.maximum_and_answer(words, [&] {
    if (!are_alike()) return std::vector<std::byte>();
    return pack(Agreed{mine.first_file, answer ? answer() : std::vector<std::byte>()});
  });
  if (!are_alike()) throw_difference(comm, mine, error);
  return unpack<Agreed>(result);
}

}  // namespace quire
