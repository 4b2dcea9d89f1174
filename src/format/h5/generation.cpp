#include "format/h5/generation.hpp"

#include "format/h5/journal.hpp"

namespace quire::h5 {
namespace {

Generation shown_by(const ReadBytes& read, std::uint64_t size) {
  try {
    const Superblock block = read_superblock(read, size, true);
    Generation generation{.superblock = std::vector<std::byte>(block.length), .offset = block.offset, .end = block.end};
    generation.superblock.resize(read(block.offset, generation.superblock));
    return generation;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file && error.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

}  // namespace

// A publication writes the journal, the overwrites, the superblock, and cuts the journal off, in this order. Here the
// superblock is read before and after the look for the journal: the same one twice and no journal means that no
// overwrite was under way.
Generation generation_of(const ReadBytes& read, std::uint64_t size, std::uint64_t budget) {
  constexpr int most_looks = 4;  // what changes all the time is no generation that has been seen before
  Generation before = shown_by(read, size);
  for (int i = 0; i < most_looks && before.end != size; ++i) {
    if (const auto journal = find_journal(read, size, budget)) {
      return shown_by(
          [&](std::uint64_t offset, std::span<std::byte> out) {
            const std::size_t count = read(offset, out);
            journal->overwrites.copy(offset, out.first(count));
            return count;
          },
          journal->start);
    }
    Generation after = shown_by(read, size);
    if (after == before) break;
    before = std::move(after);
  }
  return before;
}

}  // namespace quire::h5
