#include "fortran/handle.hpp"

namespace {

using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::require;

}  // namespace

extern "C" {

quire_status quire_fortran_attach(File* file, const char* name, const char* content, std::uint64_t bytes, int replace) {
  return guarded(file, [&](File& open) { require(open, quire_attach(open.file, name, bytes, content, replace)); });
}

quire_status quire_fortran_detach(File* file, const char* name) {
  return guarded(file, [&](File& open) { require(open, quire_detach(open.file, name)); });
}

quire_status quire_fortran_read_attachment(File* file, const char* name, std::uint64_t bytes, char* content) {
  return guarded(file, [&](File& open) { require(open, quire_read_attachment(open.file, name, 0, bytes, content)); });
}

}  // extern "C"
