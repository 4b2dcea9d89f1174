#include "kernels/version.hpp"

#include <cstring>

#include "kernels/avx2.hpp"
#include "kernels/copy.hpp"

namespace quire::kernels {
namespace {

void plain_copy(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace

const Version& scalar_version() noexcept {
  static const Version version{.name = "scalar", .copy = plain_copy};
  return version;
}

const std::vector<const Version*>& versions() {
  static const std::vector<const Version*> found = [] {
    std::vector<const Version*> list{&scalar_version()};
    if (const Version* version = avx2_version()) list.push_back(version);
    return list;
  }();
  return found;
}

const Version& best_version() {
  static const Version& best = *versions().back();
  return best;
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t count) { best_version().copy(to, from, count); }

}  // namespace quire::kernels
