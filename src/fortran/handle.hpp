#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fortran/array.hpp"
#include "quire/quire.h"

namespace quire::fortran {

/// Copies of arrays.
using Copies = std::vector<std::unique_ptr<std::byte[]>>;

/// A part of a declared column that was put, until it is passed on with those of the other columns.
struct Part {
  quire_type type = QUIRE_STRING;
  std::uint64_t rows = 0;
  const void* numbers = nullptr;
  Copies copies{};
  std::vector<std::string> texts{};
  std::vector<const char*> beginnings{};  ///< of the texts

  [[nodiscard]] const void* values() const noexcept { return type == QUIRE_STRING ? beginnings.data() : numbers; }
};

/// Where a stream is read next.
struct StreamPlace {
  std::uint64_t position = 0;
  std::uint64_t next_record = 0;
};

}  // namespace quire::fortran

/// What a quire_writer or a quire_reader of the module refers to: a handle of the C interface, and the memory that a
/// step needs until its commit.
struct quire_fortran_file {
  struct Free {
    void operator()(quire_file* file) const noexcept { quire_free(file); }
  };
  struct FreeTexts {
    void operator()(quire_texts* texts) const noexcept { quire_free_texts(texts); }
  };
  quire::fortran::Copies copies;  ///< of arrays of the open step
  quire::fortran::Copies lent;    ///< the same of the step in flight, whose thread ends with the handle below
  std::unique_ptr<quire_file, Free> owned;
  quire_file* file = nullptr;  ///< owned, or that of quire_write_file()
  bool is_written = false;     ///< not read
  std::string table;
  std::map<std::string, std::uint64_t> rows;  ///< of this rank, in the tables of the open step
  std::uint64_t copied = 0;                   ///< bytes, in all calls
  bool is_in_step = false;                    ///< a step is being written
  bool is_placed = false;                     ///< pieces of its streams are written at once
  std::string refused;                        ///< why the open step cannot be committed

  std::map<std::string, std::vector<std::string>> declared_columns;   ///< of the tables of the open step
  std::map<std::string, std::vector<std::uint64_t>> declared_fields;  ///< their extents, in the order of C
  std::map<std::string, quire::fortran::Part> parts;                  ///< of the columns of the table
  /// Positions along axes, which count from 1 as in Fortran, of fields that are not put yet.
  std::map<std::string, std::map<std::int64_t, std::vector<double>>> coordinates;

  bool has_chosen_rows = false;                      ///< they are read by default
  std::vector<quire::fortran::StreamPlace> streams;  ///< that were found
  std::string text;                                  ///< the last text that was read
  std::unique_ptr<quire_texts, FreeTexts> texts;     ///< of an attribute, until they are taken
  std::string message;                               ///< of the last call that failed
};

/// How a file is opened: `type(opening)` of the module quire_binding. Texts end with a zero byte.
struct quire_fortran_opening {
  enum Manner : int { creating, appending, reading };

  const char* path;
  const char* format;  ///< empty: the default, also for the transport
  const char* transport;
  const char* settings;   ///< each ends with a zero byte, the last one with two
  std::int64_t deadline;  ///< in milliseconds
  Manner manner;
  int durable;
  int lossy;
  int tolerant;
  int drop_later;
  int has_communicator;
  int communicator;  ///< of Fortran
};

namespace quire::fortran {

using File = quire_fortran_file;
using Opening = quire_fortran_opening;

/// An error that a call of the C interface returned.
struct Failure {
  quire_status status;
  std::string message;
};

/// Throws a Failure unless the status of a call on the handle is QUIRE_OK.
void require(const File& file, quire_status status);

/// Runs `action` for a handle, converts exceptions into a status and keeps the message. Never throws.
[[nodiscard]] quire_status guarded(File* file, const std::function<void(File&)>& action) noexcept;

/// Like guarded(), but what is refused here prevents a commit of the open step, as what the C interface refuses.
[[nodiscard]] quire_status guarded_in_step(File* file, const std::function<void(File&)>& action) noexcept;

/// What is done with an array that is written.
enum class Layout {
  columns,  ///< it is referred to if it is contiguous; its first dimension must be
  any,      ///< the same, but it may have any layout
  copied    ///< it is copied
};

/// Contiguous memory with the values of an array that is written: the array itself, or one of the `copies`.
/// @param what names the array in messages
[[nodiscard]] const void* values_to_write(File& file, const Array& array, const std::string& what, Layout layout,
                                          Copies& copies);
/// The same for the components of a field, without those that are null. Throws std::invalid_argument if they differ.
[[nodiscard]] std::vector<const void*> components_to_write(File& file, std::span<const CFI_cdesc_t* const> components,
                                                           const std::string& what, Layout layout, Copies& copies);

/// Sets the coordinates that were given for a field, when its axes are known.
void place_coordinates(File& file, const char* field, std::uint64_t axes);

/// Drops the step on all ranks by a collective call of it, because this rank was refused, and throws the reason.
[[noreturn]] void drop_refused_step(File& file);

/// Forgets what belongs to a step. One of quire_write_file() ends with that call.
void end_step(File& file) noexcept;

/// The calls with a communicator. In a build without MPI they fail with QUIRE_UNSUPPORTED.
[[nodiscard]] quire_status open_on(const Opening& how, const std::int64_t* after, const quire_options& options,
                                   quire_file** file);
[[nodiscard]] quire_status write_file_on(const Opening& how, std::int64_t number, quire_fill fill, void* data,
                                         const quire_options& options, quire_file** file);
[[nodiscard]] quire_status repair_on(const Opening& how, std::span<const std::int64_t> dropped,
                                     const quire_options& options, int* changed, quire_file** file);
/// Ends all ranks if the program runs under MPI, after printing the message. Otherwise returns.
void abort_all_ranks(const char* message, int status);

}  // namespace quire::fortran
