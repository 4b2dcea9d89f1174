#include "comm/agreement.hpp"

#include <xxhash.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace quire {

void agree_on_call(Comm& comm, const std::string& call, const std::optional<Error>& refusal) {
  const std::uint64_t hash = XXH3_64bits(call.data(), call.size());
  // The greatest hash and, by its complement, the smallest one.
  std::array<std::uint64_t, 3> words{refusal ? std::uint64_t{1} : 0, hash, ~hash};
  if (comm.size() > 1) comm.maximum(words);
  if (words[0] == 0 && words[1] == ~words[2]) return;

  std::vector<std::byte> bytes(call.size());
  std::memcpy(bytes.data(), call.data(), call.size());
  comm.broadcast(bytes);
  const std::string of_root(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::optional<Error> error = refusal;
  if (!error && call != of_root) {
    error = Error(ErrorKind::conflict, "rank 0 asks for " + of_root + ", this rank for " + call)
                .advise("all ranks must make this call with the same arguments");
  }
  agree(comm, error);
}

}  // namespace quire
