#pragma once

#include <memory>
#include <vector>

#include "quire/spi/transport/transport.hpp"

namespace quire {

/// One operation of a transport, with the bytes that it wrote.
struct TraceEvent {
  enum class What : std::uint8_t { write, read, resize, reserve, sync, close } what = What::write;
  std::uint64_t offset = 0;  ///< of the extent; for resize and reserve the size
  std::uint64_t length =
      0;  ///< of the extent; for reserve how much of the size is new; for sync 1 if the directory too
  std::vector<std::byte> bytes;  ///< of writes, if the trace keeps bytes
};

/// The events of one rank and file in order. The replay of any prefix of the writes and resizes gives the file as it
/// would be if the process had been killed at that moment.
struct Trace {
  bool keep_bytes = false;
  std::vector<TraceEvent> events;
};

/// Forwards all calls and records them: one event for each planned extent (not for each system call).
[[nodiscard]] std::unique_ptr<Transport> traced(std::unique_ptr<Transport> inner, std::shared_ptr<Trace> trace);

/// Independent. The bytes of a file that held `before`, after the writes and resizes among the first `count` events of
/// the trace. Throws usage errors for a trace without bytes.
[[nodiscard]] std::vector<std::byte> replay(const Trace& trace, std::size_t count, std::vector<std::byte> before = {});

}  // namespace quire
