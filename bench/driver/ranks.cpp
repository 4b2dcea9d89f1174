#include "driver/ranks.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace quire::bench {

std::optional<Error> together(Comm& comm, const std::function<void()>& work) {
  std::optional<Error> mine;
  try {
    work();
  } catch (const Error& error) {
    mine = error;
  }
  try {
    agree(comm, mine);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

std::vector<double> gather(Comm& comm, double mine) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(comm.size()));
  words[static_cast<std::size_t>(comm.rank())] = std::bit_cast<std::uint64_t>(mine);
  comm.sum(words);
  std::vector<double> all;
  for (const std::uint64_t word : words) all.push_back(std::bit_cast<double>(word));
  return all;
}

std::string text_of_root(Comm& comm, const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  std::vector<std::byte> bytes(first, first + (comm.is_root() ? text.size() : 0));
  comm.broadcast(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace quire::bench
