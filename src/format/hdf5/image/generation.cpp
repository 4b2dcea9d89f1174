#include "format/hdf5/image/generation.hpp"

#include "format/hdf5/image/journal.hpp"

namespace quire::hdf5 {
namespace {

Generation shown_by(const ReadBytes& read, std::uint64_t size) {
  try {
    const Superblock block = read_superblock(read, size, CutFiles::read);
    Generation generation{.superblock = std::vector<std::byte>(block.length), .offset = block.offset, .end = block.end};
    generation.superblock.resize(read(block.offset, generation.superblock));
    return generation;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file && error.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

}  // namespace

// A publication writes the journal, the overwrites and the superblock, and truncates the journal, in this order. Here
// the superblock is read before and after the search for a journal: if it is the same twice and there is no journal, no
// overwrite was in progress.
Generation generation_of(const ReadBytes& read, std::uint64_t size, std::uint64_t budget) {
  constexpr int most_looks = 4;  // a file that changes all the time has a new generation
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

}  // namespace quire::hdf5
