// A file as a kill leaves it, built from the events of a trace.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "transport/trace.hpp"

namespace quire::test {

/// Applies an event to a file; of a write, only the first `length` bytes.
inline void write_in_part(const TraceEvent& event, std::size_t length, std::string& file) {
  if (event.what == TraceEvent::What::resize) file.resize(event.offset, '\0');
  // A reservation extends the file on file systems that support it: the worse case for a reader.
  if (event.what == TraceEvent::What::reserve && event.offset > file.size()) file.resize(event.offset, '\0');
  if (event.what != TraceEvent::What::write) return;
  if (event.offset + length > file.size()) file.resize(event.offset + length, '\0');
  std::copy_n(reinterpret_cast<const char*>(event.bytes.data()), length,
              file.begin() + static_cast<std::ptrdiff_t>(event.offset));
}

}  // namespace quire::test
