#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "arguments.hpp"
#include "kernels/codec.hpp"
#include "kernels/number_print.hpp"
#include "locks.hpp"
#include "pattern.hpp"
#include "plain_file.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// Of this thread: what a busy machine takes away does not count.
double processor_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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
    report(comm_, {"begin", name});
    probe::together(comm_, [&] {
      if (comm_.is_root()) measure(name, work);
    });
  }

  /// Seconds of the processor, on rank 0.
  void of_processor(const std::string& name, const std::function<void(std::size_t)>& work) {
    report(comm_, {"begin", name});
    probe::together(comm_, [&] {
      if (comm_.is_root()) measure(name, work, processor_now);
    });
  }

  void together(const std::string& name, const std::function<void(std::size_t)>& work) {
    report(comm_, {"begin", name});
    comm_.barrier();
    probe::together(comm_, [&] { measure(name, work); });
  }

  /// Until the last rank has done its part: ranks that begin at any time would hardly overlap.
  void at_once(const std::string& name, const std::function<void(std::size_t)>& work) {
    std::optional<Error> failed;
    const auto with_all = [&](std::size_t i) {
      try {
        if (!failed) work(i);
      } catch (const Error& error) {
        // The others wait for this rank all the same.
        failed = error;
      }
      comm_.barrier();
    };
    together(name, with_all);
    agree(comm_, failed);
  }

 private:
  void measure(const std::string& name, const std::function<void(std::size_t)>& work, double (*clock)() = now) {
    std::vector<double> times;
    for (std::size_t i = 0; i < repetitions_; ++i) {
      const double begin = clock();
      work(i);
      times.push_back(clock() - begin);
    }
    std::ranges::sort(times);
    report(comm_, {"cost", name, digits(quantile(times, 0.5)), digits(quantile(times, 0.25)),
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
    watches.at_once("write_1mib_own_files", [&](std::size_t i) { own->write(i * mebibyte, bytes); });
  }
  const auto shared = opened(comm, directory + "/shared");
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  watches.at_once("write_1mib_shared_file",
                  [&](std::size_t i) { shared->write((i * ranks + rank) * mebibyte, bytes); });
  watches.at_once("read_1mib_shared_file", [&](std::size_t i) { shared->read((i * ranks + rank) * mebibyte, bytes); });
}

/// What processors take that no storage sees: numbers as text, compressed, and objects of the HDF5 library.
void measure_work(Stopwatches& watches) {
  std::vector<double> numbers(mebibyte / sizeof(double));
  std::mt19937_64 random(7);
  for (double& number : numbers) number = static_cast<double>(random() >> 11U) * 0x1p-53;
  const auto bytes = std::as_bytes(std::span(numbers));
  std::array<char, kernels::widest_number> text{};
  const kernels::NumberPrinter print = kernels::number_printer(Type::float64, kernels::Digits::shortest);
  watches.of_processor("print_1mib", [&](std::size_t) {
    for (const double& number : numbers) print(reinterpret_cast<const std::byte*>(&number), text.data());
  });
  kernels::Codec deflate(std::vector<Filter>{{filter_number::deflate, {6}}});
  watches.of_processor("deflate_1mib", [&](std::size_t) {
    if (deflate.encode(bytes).empty()) throw Error(ErrorKind::internal, "nothing was compressed");
  });
  watches.of_processor("make_16_objects", [&](std::size_t) { make_library_objects(16); });
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
  measure_work(watches);
  measure_names(watches, directory);
  measure_bytes(comm, watches, directory);
}

}  // namespace quire::probe
