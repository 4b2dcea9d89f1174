#include "transport/lock_holders.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

namespace quire {
namespace {

/// The name of a file in the system's list of locks.
std::string name_in_list(const Descriptor& file) {
  struct stat there {};
  if (::fstat(file.number(), &there) != 0) return {};
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "%02x:%02x:%llu", major(there.st_dev), minor(there.st_dev),
                static_cast<unsigned long long>(there.st_ino));
  return name.data();
}

/// A lock of a whole file.
struct Holder {
  long process = 0;
  bool is_exclusive = false;
};

/// Parses lines such as `1: FLOCK  ADVISORY  READ 4711 08:01:131075 0 EOF`. Locks of byte ranges that belong to open
/// files are listed without a process.
std::vector<Holder> holders_of(const std::string& name) {
  std::vector<Holder> holders;
  std::ifstream locks("/proc/locks");
  for (std::string line; !name.empty() && std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, manner, access, file;
    long process = 0;
    words >> number >> kind >> manner >> access >> process >> file;
    const bool is_known = std::ranges::find(holders, process, &Holder::process) != holders.end();
    if (words && kind == "FLOCK" && file == name && process > 0 && !is_known) {
      holders.push_back({process, access == "WRITE"});
    }
  }
  return holders;
}

std::string program_of(long process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string program;
  std::getline(file, program);
  return program;
}

}  // namespace

bool is_locked_whole(const Descriptor& file) {
  return std::ranges::any_of(holders_of(name_in_list(file)), &Holder::is_exclusive);
}

std::string holders_in_words(const Descriptor& file) {
  std::string words;
  for (const Holder& holder : holders_of(name_in_list(file))) {
    const std::string program = program_of(holder.process);
    words += (words.empty() ? "process " : " or ") + std::to_string(holder.process);
    if (!program.empty()) words += ", " + program;
  }
  return words.empty() ? words : " (" + words + ")";
}

}  // namespace quire
