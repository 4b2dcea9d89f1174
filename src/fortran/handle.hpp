#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fortran/array.hpp"
#include "quire/quire.h"

/// What a quire_writer or a quire_reader of the module refers to: a handle of the C interface, and the memory that a
/// step needs until its commit.
struct quire_fortran_file {
  struct Free {
    void operator()(quire_file* file) const noexcept { quire_free(file); }
  };
  std::unique_ptr<quire_file, Free> owned;
  quire_file* file = nullptr;  ///< owned, or that of quire_write_file()
  bool is_written = false;     ///< not read
  std::string table;
  std::map<std::string, std::uint64_t> rows;  ///< of this rank, in the tables of the open step; read: chosen ones
  std::uint64_t streams = 0;                  ///< of this rank, in the step: added or found
  std::vector<std::unique_ptr<std::byte[]>> copies;  ///< of arrays of the open step
  std::uint64_t copied = 0;                          ///< bytes, in all calls
  bool is_in_step = false;                           ///< a step is being written
  std::string refused;                               ///< why the open step cannot be committed
  std::string text;                                  ///< the last text that was read
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

/// Contiguous memory with the values of an array that is written: the array itself, or a copy that is kept until the
/// step ends.
/// @param what names the array in messages
/// @param copies whether to copy in any case; otherwise the first dimension must be contiguous
[[nodiscard]] const void* values_to_write(File& file, const Array& array, const std::string& what, bool copies);

/// The number in the C interface of a stream of this rank, which counts from 1 in Fortran.
[[nodiscard]] std::uint64_t stream_at(const File& file, std::int64_t number);

/// Forgets what belongs to a step.
void end_step(File& file) noexcept;

/// The calls with a communicator. In a build without MPI they fail with QUIRE_UNSUPPORTED.
[[nodiscard]] quire_status open_on(const Opening& how, const std::int64_t* after, const quire_options& options,
                                   quire_file** file);
[[nodiscard]] quire_status write_file_on(const Opening& how, std::int64_t number, quire_fill fill, void* data,
                                         const quire_options& options, quire_file** file);
/// Ends all ranks if the program runs under MPI, after printing the message. Otherwise returns.
void abort_all_ranks(const char* message, int status);

}  // namespace quire::fortran
