#pragma once

#include <cstdint>
#include <memory>

#include "quire/spi/transport/transport.hpp"

namespace quire {

/// An error to inject, and when.
struct Fault {
  std::uint64_t after_bytes = 0;  ///< writes succeed up to this many bytes of this rank, then
  int error_number = 28;          ///< fail with this errno (28 = ENOSPC), after writing the bytes that still fit
  bool on_read = false;           ///< the same for reads instead
  bool on_sync = false;           ///< the next sync fails instead
};

/// Forwards all calls until the fault is due; then every later call of that kind fails in the same way.
[[nodiscard]] std::unique_ptr<Transport> faulty(std::unique_ptr<Transport> inner, const Fault& fault);

}  // namespace quire
