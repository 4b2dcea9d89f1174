// How fast particles go into a file of any format and back, beside raw writes and reads of as many bytes in the same
// run. A first impression, not a benchmark: those are in bench/.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "quire/comm/mpi.hpp"
#include "quire/quire.hpp"

namespace {

constexpr std::array names{"x", "px", "y", "py", "z", "delta", "id"};

struct Task {
  std::uint64_t rows = 1000000;
  int steps = 3;
  int repeats = 5;
  std::string output;
  std::string format;
  std::string transport = "posix";
};

/// This rank's part of the data: columns of 8-byte numbers, by chance of a cheap kind.
struct Data {
  quire::Slice rows;
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> id;

  Data(const Task& task, const quire::Comm& comm)
      : rows(quire::even_slice(task.rows, comm.rank(), comm.size())),
        columns(names.size() - 1, std::vector<double>(rows.count)),
        id(rows.count) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      id[i] = static_cast<std::int64_t>(rows.first + i);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
        columns[c][i] = static_cast<double>((rows.first + i) * golden * (2 * c + 1) >> 11) * 0x1p-53;
      }
    }
  }
  [[nodiscard]] std::uint64_t bytes() const { return rows.count * names.size() * sizeof(double); }
  [[nodiscard]] std::uint64_t first_byte() const { return rows.first * names.size() * sizeof(double); }
};

/// Collective. Seconds from a common start until the last rank is done.
double seconds_of(quire::Comm& comm, const std::function<void()>& work) {
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  comm.barrier();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void write(const Task& task, const Data& data, const quire::Comm& comm) {
  quire::WriteOptions options;
  options.format = task.format;
  options.transport = task.transport;
  quire::Writer writer = quire::create(task.output, comm, options);
  for (int number = 0; number < task.steps; ++number) {
    quire::WriteStep step = writer.step(number);
    for (std::size_t c = 0; c < data.columns.size(); ++c) step.put(names[c], data.columns[c]);
    step.put(names.back(), data.id);
    step.commit();
  }
  writer.close();
}

void read(const Task& task, Data& data, const quire::Comm& comm) {
  quire::ReadOptions options;
  options.transport = task.transport;
  quire::Reader reader = quire::open(task.output, comm, options);
  for (int index = 0; index < task.steps; ++index) {
    std::vector<quire::ReadColumn> columns{{names.back(), data.id}};
    for (std::size_t c = 0; c < data.columns.size(); ++c) columns.push_back({names[c], data.columns[c]});
    reader.at(static_cast<std::uint64_t>(index)).read("", data.rows, std::move(columns));
  }
  reader.close();
}

/// Moves this rank's bytes of every step by plain system calls of 4 MiB, column after column.
void move_raw(const Task& task, Data& data, bool writing) {
  const std::string path = task.output + ".raw";
  const int file = ::open(path.c_str(), writing ? O_WRONLY | O_CREAT : O_RDONLY, 0644);
  if (file < 0) throw quire::system_error("open " + path, errno);
  const std::uint64_t step_bytes = task.rows * names.size() * sizeof(double);
  for (int step = 0; step < task.steps; ++step) {
    std::uint64_t at = static_cast<std::uint64_t>(step) * step_bytes + data.first_byte();
    const auto move = [&](std::byte* memory, std::uint64_t left) {
      while (left > 0) {
        constexpr std::uint64_t piece = 4 << 20;
        const std::uint64_t size = std::min(left, piece);
        const auto offset = static_cast<off_t>(at);
        const ssize_t done = writing ? ::pwrite(file, memory, size, offset) : ::pread(file, memory, size, offset);
        if (done <= 0) throw quire::system_error("move bytes of " + path, errno);
        at += static_cast<std::uint64_t>(done);
        memory += done;
        left -= static_cast<std::uint64_t>(done);
      }
    };
    for (std::vector<double>& column : data.columns) {
      move(reinterpret_cast<std::byte*>(column.data()), column.size() * sizeof(double));
    }
    move(reinterpret_cast<std::byte*>(data.id.data()), data.id.size() * sizeof(std::int64_t));
  }
  ::close(file);
}

/// Collective. Rank 0 removes a file that all ranks are done with.
void remove_file(const std::string& path, quire::Comm& comm) {
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove(path);
  comm.barrier();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Medians of several repetitions, which alternate so that a slow moment of the machine strikes all alike.
struct Seconds {
  double write = 0;
  double read = 0;
  double raw_write = 0;
  double raw_read = 0;
};

Seconds measure(const Task& task, quire::Comm& comm) {
  Data data(task, comm);
  std::array<std::vector<double>, 4> seconds;
  for (int repeat = 0; repeat < task.repeats; ++repeat) {
    remove_file(task.output + ".raw", comm);
    remove_file(task.output, comm);
    seconds[0].push_back(seconds_of(comm, [&] { write(task, data, comm); }));
    seconds[1].push_back(seconds_of(comm, [&] { read(task, data, comm); }));
    seconds[2].push_back(seconds_of(comm, [&] { move_raw(task, data, true); }));
    seconds[3].push_back(seconds_of(comm, [&] { move_raw(task, data, false); }));
  }
  remove_file(task.output + ".raw", comm);
  return {median(seconds[0]), median(seconds[1]), median(seconds[2]), median(seconds[3])};
}

void print(const Task& task, const Seconds& seconds, int ranks) {
  const double megabytes = static_cast<double>(task.rows) * static_cast<double>(task.steps) * names.size() * 8e-6;
  std::printf(
      "{\"file\": \"%s\", \"ranks\": %d, \"megabytes\": %.1f, \"transport\": \"%s\", \"write\": %.1f, "
      "\"read\": %.1f, \"raw_write\": %.1f, \"raw_read\": %.1f}\n",
      task.output.c_str(), ranks, megabytes, task.transport.c_str(), megabytes / seconds.write,
      megabytes / seconds.read, megabytes / seconds.raw_write, megabytes / seconds.raw_read);
}

int run(int argc, char** argv) {
  quire::Comm comm = quire::world();
  Task task;
  CLI::App app("Writes and reads particles beside raw bytes; prints MB/s (median of the repeats) as JSON.", "speed");
  app.add_option("--rows", task.rows, "in each step")->capture_default_str();
  app.add_option("--steps", task.steps, "in the file")->capture_default_str();
  app.add_option("--repeats", task.repeats, "of everything")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--output", task.output, "file to write; a second one beside it takes the raw bytes")->required();
  app.add_option("--format", task.format, "by the suffix if not given");
  app.add_option("--transport", task.transport, "how bytes are moved")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return comm.is_root() ? app.exit(error) : error.get_exit_code();
  }
  const Seconds seconds = measure(task, comm);
  if (comm.is_root()) print(task, seconds, comm.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const quire::MpiSession session(argc, argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // Perhaps on this rank alone: nothing to wait for.
    std::fprintf(stderr, "speed: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return 4;
}
