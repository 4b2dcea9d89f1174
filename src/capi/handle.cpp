#include "capi/handle.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "capi/arguments.hpp"
#include "quire/base/error.hpp"

namespace quire::capi {

namespace {

static_assert(QUIRE_USAGE == static_cast<int>(ErrorKind::usage) + 1);
static_assert(QUIRE_MISSING == static_cast<int>(ErrorKind::missing) + 1);
static_assert(QUIRE_BAD_FILE == static_cast<int>(ErrorKind::bad_file) + 1);
static_assert(QUIRE_UNSUPPORTED == static_cast<int>(ErrorKind::unsupported) + 1);
static_assert(QUIRE_TYPE == static_cast<int>(ErrorKind::type) + 1);
static_assert(QUIRE_CONFLICT == static_cast<int>(ErrorKind::conflict) + 1);
static_assert(QUIRE_IO == static_cast<int>(ErrorKind::io) + 1);
static_assert(QUIRE_MEMORY == static_cast<int>(ErrorKind::memory) + 1);
static_assert(QUIRE_ABORTED == static_cast<int>(ErrorKind::aborted) + 1);
static_assert(QUIRE_DEADLINE == static_cast<int>(ErrorKind::deadline) + 1);
static_assert(QUIRE_INTERNAL == static_cast<int>(ErrorKind::internal) + 1);

Options settings_of(const quire_options& options) {
  Options settings;
  if (options.settings == nullptr) return settings;
  for (const char* const* setting = options.settings; *setting != nullptr; ++setting) {
    const std::string text = *setting;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw usage("a setting is not of the form name=value").on(text);
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

/// The members that both kinds of options have.
template <class Result>
Result common_options(const quire_options& given) {
  Result result;
  if (given.deadline < 0) throw usage("the deadline is negative");
  result.format = text_or_empty(given.format);
  if (given.transport != nullptr) result.transport = given.transport;
  result.lossy = given.lossy != 0;
  result.deadline = deadline_of(&given);
  result.options = settings_of(given);
  return result;
}

quire_options known_options(const quire_options* given) {
  const quire_options known = known_members(given, "quire_default_options");
  if (known.refused != nullptr) throw usage(known.refused);
  return known;
}

WriteOptions write_options(const quire_options* options) {
  const quire_options given = known_options(options);
  auto result = common_options<WriteOptions>(given);
  result.durable = given.durable != 0;
  return result;
}

ReadOptions read_options(const quire_options* options) {
  const quire_options given = known_options(options);
  auto result = common_options<ReadOptions>(given);
  result.tolerant = given.tolerant != 0;
  if (given.memory_budget != 0) result.memory_budget = given.memory_budget;
  if (given.list_budget != 0) result.list_budget = given.list_budget;
  return result;
}

/// Arguments may be invalid on one rank and valid on the others: the ranks agree before any of them opens a file.
template <class Check>
auto agreed(Comm& comm, const char* path, const Check& check) {
  std::optional<decltype(check())> result;
  std::optional<Error> error;
  try {
    if (path == nullptr) throw usage("the path is a null pointer");
    result = check();
  } catch (const Error& wrong) {
    error = wrong;
  }
  agree(comm, error);
  return *result;
}

/// Lends a handle the writer and the step that it fills.
class Lending {
 public:
  Lending(quire_file& handle, Writer& writer, WriteStep& step) : handle_(handle), writer_(writer), step_(step) {
    handle_.writer.emplace(std::move(writer));
    handle_.write_step.emplace(std::move(step));
    handle_.is_filling = true;
  }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;
  ~Lending() {
    writer_ = std::move(*handle_.writer);
    step_ = std::move(*handle_.write_step);
    handle_.writer.reset();
    handle_.write_step.reset();
    handle_.chosen = {};
    handle_.is_filling = false;
  }

 private:
  quire_file& handle_;
  Writer& writer_;
  WriteStep& step_;
};

/// Throws the error of the function that fills a step.
void require_filled(const quire_file& handle, quire_status status) {
  if (handle.pending.refused) throw Error(*handle.pending.refused);
  if (status == QUIRE_OK) return;
  const bool is_known = status > QUIRE_OK && status <= QUIRE_INTERNAL;
  throw Error(is_known ? static_cast<ErrorKind>(static_cast<int>(status) - 1) : ErrorKind::usage,
              "the function that fills the step returned " + std::string(quire_status_name(status)));
}

}  // namespace

quire_status status_of(ErrorKind kind) noexcept { return static_cast<quire_status>(static_cast<int>(kind) + 1); }

quire_status guarded(quire_file* file, const std::function<void()>& action) noexcept {
  if (file == nullptr) return QUIRE_USAGE;
  try {
    auto error = caught(action);
    if (!error) return QUIRE_OK;
    const quire_status status = status_of(error->kind());
    file->error = std::move(error);
    return status;
  } catch (...) {
    // Not even the error fits into memory.
    file->error.reset();
    return QUIRE_MEMORY;
  }
}

quire_status guarded(const std::function<void()>& action) noexcept {
  try {
    const auto error = caught(action);
    return error ? status_of(error->kind()) : QUIRE_OK;
  } catch (...) {
    return QUIRE_MEMORY;
  }
}

quire_status guarded_in_step(quire_file* file, const std::function<void()>& action) noexcept {
  return guarded(file, [&] {
    const auto error = caught(action);
    if (!error) return;
    if (file->write_step && !file->pending.refused) file->pending.refused = error;
    throw Error(*error);
  });
}

Deadline deadline_of(const quire_options* options) noexcept {
  constexpr std::size_t known = offsetof(quire_options, deadline) + sizeof options->deadline;
  if (options == nullptr || options->size < known || options->deadline <= 0) return std::nullopt;
  return std::chrono::milliseconds(options->deadline);
}

Writer& writer_of(quire_file& file) {
  if (!file.writer) throw usage(file.reader ? "the file is open for reading" : "the file is not open");
  return *file.writer;
}

Reader& reader_of(quire_file& file) {
  if (!file.reader) throw usage(file.writer ? "the file is open for writing" : "the file is not open");
  return *file.reader;
}

WriteStep& open_step(quire_file& file) {
  static_cast<void>(writer_of(file));
  if (!file.write_step) throw usage("no step is open").advise("call quire_step first");
  return *file.write_step;
}

ReadStep& chosen_step(quire_file& file) {
  static_cast<void>(reader_of(file));
  if (!file.read_step) throw usage("no step was chosen").advise("call quire_step first");
  return *file.read_step;
}

const Table& chosen_table(quire_file& file) {
  const StepDescription& step = described_step(file);
  return step.tables.at(step.find_table(file.chosen.table));
}

const StepDescription& described_step(quire_file& file) {
  return file.writer ? file.writer->schema() : chosen_step(file).description();
}

void refuse_in_fill(const quire_file& file) {
  if (file.is_filling) throw usage("quire_write_file() does this itself: its fill only sets and puts");
}

quire_status make(quire_file** file, const std::function<void(quire_file&)>& open) noexcept {
  if (file == nullptr) return QUIRE_USAGE;
  *file = std::unique_ptr<quire_file>(new (std::nothrow) quire_file).release();
  if (*file == nullptr) return QUIRE_MEMORY;
  return guarded(*file, [&] { open(**file); });
}

quire_status create(const char* path, const MakeComm& make_comm, const quire_options* options,
                    quire_file** file) noexcept {
  return make(file, [&](quire_file& handle) {
    Comm comm = make_comm();
    const auto checked = agreed(comm, path, [&] { return write_options(options); });
    handle.writer = quire::create(path, comm, checked);
  });
}

quire_status write_file(const char* path, std::int64_t number, quire_fill fill, void* data, const MakeComm& make_comm,
                        const quire_options* options, quire_file** file) noexcept {
  return make(file, [&](quire_file& handle) {
    Comm comm = make_comm();
    const auto checked = agreed(comm, path, [&] {
      if (fill == nullptr) throw usage("the function that fills the step is a null pointer");
      return write_options(options);
    });
    const auto fill_handle = [&](Writer& writer, WriteStep& step) {
      const Lending lending(handle, writer, step);
      const quire_status status = fill(&handle, data);
      require_filled(handle, status);
    };
    static_cast<void>(quire::write_file(path, comm, number, fill_handle, checked));
  });
}

quire_status append(const char* path, const std::int64_t* after, bool drop_later, const MakeComm& make_comm,
                    const quire_options* options, quire_file** file) noexcept {
  return make(file, [&](quire_file& handle) {
    Comm comm = make_comm();
    const auto checked = agreed(comm, path, [&] { return write_options(options); });
    const auto last = after != nullptr ? std::optional(*after) : std::nullopt;
    handle.writer = quire::append(path, comm, last, drop_later ? Later::drop : Later::refuse, checked);
  });
}

quire_status open(const char* path, const MakeComm& make_comm, const quire_options* options,
                  quire_file** file) noexcept {
  return make(file, [&](quire_file& handle) {
    Comm comm = make_comm();
    const auto checked = agreed(comm, path, [&] { return read_options(options); });
    handle.reader = quire::open(path, comm, checked);
  });
}

quire_status repair(const char* path, const std::function<std::vector<std::int64_t>()>& dropped,
                    const MakeComm& make_comm, const quire_options* options, int* changed, quire_file** file) noexcept {
  return make(file, [&](quire_file&) {
    Comm comm = make_comm();
    std::vector<std::int64_t> numbers;
    const auto checked = agreed(comm, path, [&] {
      place(changed, "the result") = 0;
      numbers = dropped();
      return read_options(options);
    });
    *changed = quire::repair(path, comm, checked, numbers) ? 1 : 0;
  });
}

quire_status lock(const char* path, const MakeComm& make_comm, const quire_options* options,
                  quire_file** file) noexcept {
  return make(file, [&](quire_file& handle) {
    Comm comm = make_comm();
    const auto checked = agreed(comm, path, [&] { return read_options(options); });
    comm.set_deadline(checked.deadline);
    handle.lock = quire::lock_file(path, comm);
  });
}

Comm only_process() {
  try {
    return Comm::only_process();
  } catch (Error& error) {
    throw error.advise(
        "call the function of quire_mpi.h for MPI_COMM_WORLD if all ranks make this call together, or for "
        "MPI_COMM_SELF if this rank works alone");
  }
}

}  // namespace quire::capi
