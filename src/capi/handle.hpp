#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/quire.h"

/// The state of a C handle: a writer with at most one open step, or a reader with at most one selected step.
struct quire_file {
  /// What belongs to the step that is written, until it ends.
  struct Pending {
    std::map<std::string, std::uint64_t> rows;   ///< of this rank, in its tables
    std::map<std::string, quire::Field> fields;  ///< what is known of fields before they are put
    std::deque<quire::PackedStrings> strings;    ///< values of columns
    std::vector<quire::StreamWriter> streams;
    bool is_placed = false;               ///< the step receives parts
    std::optional<quire::Error> refused;  ///< the first put or set that failed
  };
  /// Of the last step of quire_commit_async(): the writer may still write its texts.
  Pending lent;

  std::optional<quire::Writer> writer;
  std::optional<quire::WriteStep> write_step;
  quire::StepDescription defined;  ///< what every step has
  std::optional<quire::Reader> reader;
  std::optional<quire::ReadStep> read_step;

  /// What following calls mean, until the next step.
  struct Chosen {
    quire_owner owner = QUIRE_OWNER_DEFAULT;
    std::string owning_field;
    std::string table;
    std::int64_t stride = 0;                   ///< of values in memory, in bytes; 0: contiguous
    std::optional<quire::RowSelection> rows;   ///< of the table, to be read
    std::vector<std::uint64_t> extents;        ///< of the fields that follow
    std::optional<quire::Box> box;             ///< of this rank in them, if the elements are one
    std::optional<quire::Selection> elements;  ///< the same, or others
    quire::MemorySelection memory;             ///< their places
  } chosen;
  quire::Quantity texts;  ///< the symbol, description and display of the next attribute, column or field

  Pending pending;
  bool is_filling = false;  ///< the step belongs to quire_write_file(), which ends it

  /// Times and counters of this rank.
  struct Spent {
    quire::Timing timing;
    quire::TransportCounters counters;
    quire::Traffic traffic;
  };
  /// An expansion for the caller, whose pointers refer to it and to the lists here.
  struct ShownExpansion {
    std::vector<const char*> basis;
    quire_expansion shown{};
  };
  /// Elements that were read, and what the caller sees of each block.
  struct ReadElements {
    struct Block {
      ShownExpansion expansion;
      std::vector<const char*> names;
      std::vector<const double*> values;
    };
    quire::Elements all;
    std::deque<Block> blocks;
  };
  ShownExpansion expansion;
  std::optional<ReadElements> elements;
  std::vector<quire::StreamReader> streams_read;

  /// The result of quire_check(), and its lists.
  struct Checked {
    quire::CheckReport report;
    std::vector<std::int64_t> damaged;
    std::vector<const char*> damages;
    std::vector<const char*> warnings;
  };
  std::optional<Checked> checked;
  std::optional<quire::FileLock> lock;
  std::optional<Spent> spent;         ///< until the file was closed
  quire::Location location;           ///< the last one that was asked for
  std::optional<quire::Error> error;  ///< of the last call that failed
};

/// Texts that the caller owns: each is followed by a zero byte.
struct quire_texts {
  std::vector<std::uint64_t> offsets{0};
  std::vector<char> bytes;
  void add(std::string_view text);
};

/// A layout that the caller owns.
struct quire_layout {
  quire::ElementLayout layout;
};

namespace quire::capi {

/// Runs `action` for a handle, converts exceptions into a status and keeps the error. Never throws.
[[nodiscard]] quire_status guarded(quire_file* file, const std::function<void()>& action) noexcept;
/// The same without a handle: only the status remains.
[[nodiscard]] quire_status guarded(const std::function<void()>& action) noexcept;
/// The same where a failure inside an open step prevents a commit of that step without the value.
[[nodiscard]] quire_status guarded_in_step(quire_file* file, const std::function<void()>& action) noexcept;

/// The functions that create a handle, for the ranks of a communicator that is created inside guarded().
using MakeComm = std::function<Comm()>;
[[nodiscard]] quire_status create(const char* path, const MakeComm& make_comm, const quire_options* options,
                                  quire_file** file) noexcept;
[[nodiscard]] quire_status write_file(const char* path, std::int64_t number, quire_fill fill, void* data,
                                      const MakeComm& make_comm, const quire_options* options,
                                      quire_file** file) noexcept;
[[nodiscard]] quire_status append(const char* path, const std::int64_t* after, bool drop_later,
                                  const MakeComm& make_comm, const quire_options* options, quire_file** file) noexcept;
[[nodiscard]] quire_status open(const char* path, const MakeComm& make_comm, const quire_options* options,
                                quire_file** file) noexcept;

[[nodiscard]] quire_status repair(const char* path, const std::function<std::vector<std::int64_t>()>& dropped,
                                  const MakeComm& make_comm, const quire_options* options, int* changed,
                                  quire_file** file) noexcept;
[[nodiscard]] quire_status lock(const char* path, const MakeComm& make_comm, const quire_options* options,
                                quire_file** file) noexcept;
/// The communicator of calls without one. Throws usage errors on several ranks.
[[nodiscard]] Comm only_process();

/// The deadline of options; none if they are null or invalid, which the ranks agree on later.
[[nodiscard]] Deadline deadline_of(const quire_options* options) noexcept;

[[nodiscard]] quire_status status_of(ErrorKind kind) noexcept;

/// What this rank has spent on an open writer or reader.
[[nodiscard]] auto spent_by(auto& opened) {
  return quire_file::Spent{opened.timing(), opened.counters(), opened.comm().traffic()};
}

// The parts of a handle that a call requires. Throw usage errors.
[[nodiscard]] Writer& writer_of(quire_file& file);
[[nodiscard]] Reader& reader_of(quire_file& file);
[[nodiscard]] WriteStep& open_step(quire_file& file);
[[nodiscard]] ReadStep& chosen_step(quire_file& file);
[[nodiscard]] const Table& chosen_table(quire_file& file);
/// The selected step, or what is known of the steps that are written.
[[nodiscard]] const StepDescription& described_step(quire_file& file);
/// In a quire_fill, which only sets and puts.
void refuse_in_fill(const quire_file& file);

/// Returns what `request` makes of this rank's arguments of a collective read. All ranks throw the error of arguments
/// that are invalid.
template <class Request>
[[nodiscard]] auto agreeable(const ReadStep& step, const Request& request) {
  std::optional<decltype(request())> mine;
  if (const auto error = caught([&] { mine.emplace(request()); })) step.refuse_read(*error);
  return *std::move(mine);
}

}  // namespace quire::capi
