#include "format/hdf5/library/recognition.hpp"

#include <algorithm>

#include "format/hdf5/image/snapshot.hpp"
#include "format/hdf5/library/open_file.hpp"

namespace quire::hdf5 {
namespace {

/// Limits the size of a journal that is read before the format of the file is known.
constexpr std::uint64_t look_budget = std::uint64_t{64} << 20;

}  // namespace

bool has_signature(std::span<const std::byte> head) {
  const auto read = [head](std::uint64_t offset, std::span<std::byte> out) -> std::size_t {
    const auto rest = head.subspan(std::min<std::size_t>(offset, head.size()));
    const auto part = rest.first(std::min(rest.size(), out.size()));
    std::ranges::copy(part, out.begin());
    return part.size();
  };
  return find_signature(read, head.size()).has_value();
}

std::optional<bool> holds(const std::shared_ptr<ByteSource>& bytes, const std::function<bool(OpenFile&)>& what) {
  try {
    const auto snapshot = std::make_shared<Snapshot>(bytes, look_budget);
    bool answer = false;
    snapshot->look([&] {
      // A truncated file may still be recognized; its reader reports that it is truncated.
      OpenFile file(snapshot, look_budget, CutFiles::read);
      answer = with_hdf5(file.image(), [&] { return what(file); });
    });
    return answer;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file && error.kind() != ErrorKind::memory) throw;
    return std::nullopt;
  }
}

}  // namespace quire::hdf5
