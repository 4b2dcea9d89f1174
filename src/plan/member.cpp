#include "quire/spi/plan/member.hpp"

#include <string>

#include "quire/base/error.hpp"

namespace quire {

std::uint64_t address_in(std::uint64_t member, std::uint64_t offset) {
  if (member >= most_members) {
    throw Error(ErrorKind::bad_file, "a set of files has at most " + std::to_string(most_members) + " members");
  }
  if (member_of(offset) != 0) {
    throw Error(ErrorKind::bad_file, "a file of a set has at most 64 TiB").at(offset);
  }
  return (member << member_shift) | offset;
}

}  // namespace quire
