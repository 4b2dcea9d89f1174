#pragma once

#include "quire/comm/comm.hpp"

namespace quire {

/// The error as the ranks of a communicator throw it: without a rank in a serial program.
[[nodiscard]] inline Error error_seen_by(const Comm& comm, const Error& error) {
  if (comm.size() > 1 || !error.rank()) return error;
  Error alone(error.kind(), error.message());
  alone.in_file(error.file()).on(error.object()).advise(error.advice());
  if (error.offset()) alone.at(*error.offset());
  return alone;
}

}  // namespace quire
