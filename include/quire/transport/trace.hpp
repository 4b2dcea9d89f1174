#pragma once

#include <memory>
#include <vector>

#include "quire/transport/transport.hpp"

namespace quire {

/// One thing that a transport was asked to do, with the bytes that went to the file.
struct TraceEvent {
  enum class What : std::uint8_t { write, read, resize, reserve, sync, close } what = What::write;
  std::uint64_t offset = 0;  ///< of the extent; for resize and reserve the size
  std::uint64_t length = 0;
  std::vector<std::byte> bytes;  ///< of writes, if the trace keeps bytes
};

/// The events of one rank and file in order. Replaying any prefix of the writes and resizes gives the file as a kill
/// at that moment would have left it.
struct Trace {
  bool keep_bytes = false;
  std::vector<TraceEvent> events;
};

/// Passes everything on and writes it down: one event per extent as planned (not per system call).
[[nodiscard]] std::unique_ptr<Transport> traced(std::unique_ptr<Transport> inner, std::shared_ptr<Trace> trace);

}  // namespace quire
