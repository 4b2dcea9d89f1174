#include "driver/environment.hpp"

#include <hdf5.h>
#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "driver/version.hpp"

namespace quire::bench {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Collective. The names of all hosts, on rank 0, each once.
std::set<std::string> hosts_of(Comm& comm) {
  const std::string mine = host_name();
  const auto* first = reinterpret_cast<const std::byte*>(mine.data());
  std::set<std::string> hosts;
  for (const Parcel& parcel : comm.exchange({{0, {first, first + mine.size()}}})) {
    hosts.emplace(reinterpret_cast<const char*>(parcel.bytes.data()), parcel.bytes.size());
  }
  return hosts;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find('\n'), version.size()));
  std::ranges::replace(version, '\t', ' ');
  std::erase(version, '\0');  // which some count as part of the text
  return version;
}

std::string hdf5_library() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

/// The smallest step of the clock that can be seen.
double clock_resolution() {
  using Clock = std::chrono::steady_clock;
  auto smallest = Clock::duration::max();
  for (int turn = 0; turn < 100; ++turn) {
    const auto begin = Clock::now();
    auto next = begin;
    while (next == begin) next = Clock::now();
    smallest = std::min(smallest, next - begin);
  }
  return std::chrono::duration<double>(smallest).count();
}

/// What `lfs getstripe` says of a folder, where there is Lustre.
Json stripes_of(const std::string& folder) {
  std::string quoted = "'";
  for (const char letter : folder) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  const std::string command = "lfs getstripe -d " + quoted + "' 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) text += line.data();
  return text.empty() ? Json() : Json(text);
}

/// The mount that a folder belongs to: the longest one that its path begins with.
Json file_system_of(const std::string& folder) {
  const std::string path = std::filesystem::canonical(folder).string() + "/";
  std::ifstream mounts("/proc/self/mounts");
  std::string device;
  std::string place;
  std::string type;
  std::string options;
  Json found{{"type", nullptr}, {"mount", nullptr}, {"options", nullptr}};
  std::size_t longest = 0;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    words >> device >> place >> type >> options;
    const std::string prefix = place == "/" ? place : place + "/";
    if (!path.starts_with(prefix) || prefix.size() < longest) continue;
    longest = prefix.size();
    found = {{"type", type}, {"mount", place}, {"options", options}};
  }
  struct statvfs state {};
  if (statvfs(folder.c_str(), &state) == 0) {
    found["free_bytes"] = free_bytes(folder);
    found["block_size"] = static_cast<std::uint64_t>(state.f_bsize);
  }
  found["stripe"] = found["type"] == "lustre" ? stripes_of(folder) : Json();
  return found;
}

}  // namespace

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs state {};
  if (statvfs(folder.c_str(), &state) != 0) return 0;
  return static_cast<std::uint64_t>(state.f_bavail) * state.f_frsize;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Json describe_environment(Comm& comm, const std::string& folder) {
  const auto hosts = hosts_of(comm);
  const bool single_cache = comm.split_by_node().size() == comm.size();
  if (!comm.is_root()) return {};
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) < 0) load.fill(0);
  return {{"hosts", hosts},
          {"ranks", comm.size()},
          {"cores", std::thread::hardware_concurrency()},
          {"mpi", mpi_library()},
          {"compiler", std::string("GCC-compatible ") + __VERSION__},
          {"quire", program_version},
          {"hdf5", hdf5_library()},
          {"file_system", file_system_of(folder)},
          {"load", load},
          {"clock_resolution", clock_resolution()},
          {"single_cache", single_cache},
          {"started", utc_now()}};
}

}  // namespace quire::bench
