#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/quire.h"

/// The state of a C handle: a writer with at most one open step, or a reader with at most one selected step.
struct quire_file {
  std::optional<quire::Writer> writer;
  std::optional<quire::WriteStep> write_step;
  quire::StepDescription defined;  ///< what every step has
  std::optional<quire::Reader> reader;
  std::optional<quire::ReadStep> read_step;
  std::string table;
  std::map<std::string, std::uint64_t> rows;  ///< of this rank, in the tables of the open step
  std::vector<std::uint64_t> extents;         ///< of the fields that follow
  std::optional<quire::Box> box;              ///< of this rank in them
  bool is_placed = false;                     ///< the open step receives parts
  bool is_filling = false;                    ///< the step belongs to quire_write_file(), which ends it
  std::optional<quire::Error> refused;        ///< the first put or set of the open step that failed
  std::string message;
};

namespace quire::capi {

/// Runs `action` for a handle, converts exceptions into a status and keeps the message. Never throws.
[[nodiscard]] quire_status guarded(quire_file* file, const std::function<void()>& action) noexcept;

/// The four functions that create a handle, for the ranks of a communicator that is created inside guarded().
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

}  // namespace quire::capi
