#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

#include "arguments.hpp"
#include "locks.hpp"
#include "pattern.hpp"
#include "plain_file.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Between order statistics by linear interpolation, as everywhere in our statistics.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string digits(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", seconds);
  return text.data();
}

/// Times one operation many times; all ranks make it where `together`, else rank 0 while the others wait.
class Stopwatches {
 public:
  Stopwatches(Comm& comm, std::size_t repetitions) : comm_(comm), repetitions_(repetitions) {}

  void alone(const std::string& name, const std::function<void(std::size_t)>& work) {
    tell(comm_, {"begin", name});
    probe::together(comm_, [&] {
      if (comm_.is_root()) measure(name, work);
    });
  }

  void together(const std::string& name, const std::function<void(std::size_t)>& work) {
    tell(comm_, {"begin", name});
    comm_.barrier();
    probe::together(comm_, [&] { measure(name, work); });
  }

 private:
  void measure(const std::string& name, const std::function<void(std::size_t)>& work) {
    std::vector<double> times;
    for (std::size_t i = 0; i < repetitions_; ++i) {
      const double begin = now();
      work(i);
      times.push_back(now() - begin);
    }
    std::ranges::sort(times);
    tell(comm_, {"cost", name, digits(quantile(times, 0.5)), digits(quantile(times, 0.25)),
                 digits(quantile(times, 0.75)), std::to_string(times.size())});
  }

  Comm& comm_;
  std::size_t repetitions_;
};

void measure_names(Stopwatches& watches, const std::string& directory) {
  const auto name = [&](std::size_t i) { return directory + "/small" + std::to_string(i); };
  watches.alone("create", [&](std::size_t i) { PlainFile(name(i), O_RDWR | O_CREAT | O_EXCL); });
  watches.alone("open", [&](std::size_t i) { PlainFile(name(i), O_RDWR); });
  watches.alone("stat", [&](std::size_t i) {
    struct stat state {};
    if (::stat(name(i).c_str(), &state) != 0) fail("look up", name(i));
  });
  watches.alone("fsync", [&](std::size_t i) {
    const PlainFile file(name(i), O_RDWR);
    file.write(0, std::vector<std::byte>(4096, std::byte{1}));
    if (::fsync(file.descriptor()) != 0) fail("sync", name(i));
  });
  watches.alone("unlink", [&](std::size_t i) {
    if (::unlink(name(i).c_str()) != 0) fail("remove", name(i));
  });
}

/// Collective. A file of each rank, or of all.
std::unique_ptr<PlainFile> opened(Comm& comm, const std::string& path) {
  std::unique_ptr<PlainFile> file;
  together(comm, [&] { file = std::make_unique<PlainFile>(path, O_RDWR | O_CREAT); });
  return file;
}

void measure_bytes(Comm& comm, Stopwatches& watches, const std::string& directory) {
  std::vector<std::byte> bytes(mebibyte);
  fill_content(0, bytes);
  {
    const auto own = opened(comm, directory + "/own" + std::to_string(comm.rank()));
    watches.alone("write_1mib", [&](std::size_t i) { own->write(i * mebibyte, bytes); });
    watches.alone("read_1mib", [&](std::size_t i) { own->read(i * mebibyte, bytes); });
  }
  {
    const auto own = opened(comm, directory + "/each" + std::to_string(comm.rank()));
    watches.together("write_1mib_own_files", [&](std::size_t i) { own->write(i * mebibyte, bytes); });
  }
  const auto shared = opened(comm, directory + "/shared");
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  watches.together("write_1mib_shared_file",
                   [&](std::size_t i) { shared->write((i * ranks + rank) * mebibyte, bytes); });
  watches.together("read_1mib_shared_file", [&](std::size_t i) { shared->read((i * ranks + rank) * mebibyte, bytes); });
}

}  // namespace

void measure_costs(Comm& comm, const std::string& directory, std::size_t repetitions) {
  Stopwatches watches(comm, repetitions);
  comm.barrier();
  watches.together("polite_barrier", [&](std::size_t) { comm.barrier(); });
  watches.together("barrier", [&](std::size_t) { blocking_barrier(comm); });
  if (comm.size() > 1) {
    std::vector<std::byte> word(8);
    std::vector<std::byte> bytes(mebibyte);
    watches.together("message_there_and_back", [&](std::size_t) { ping_pong(comm, word); });
    watches.together("message_1mib_there_and_back", [&](std::size_t) { ping_pong(comm, bytes); });
  }
  measure_names(watches, directory);
  measure_bytes(comm, watches, directory);
}

}  // namespace quire::probe
