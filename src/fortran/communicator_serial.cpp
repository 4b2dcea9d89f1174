#include "fortran/handle.hpp"

namespace quire::fortran {
namespace {

[[noreturn]] void refuse() { throw Failure{QUIRE_UNSUPPORTED, "unsupported: this build of Quire has no MPI"}; }

}  // namespace

quire_status open_on(const Opening& /*how*/, const std::int64_t* /*after*/, const quire_options& /*options*/,
                     quire_file** /*file*/) {
  refuse();
}
quire_status write_file_on(const Opening& /*how*/, std::int64_t /*number*/, quire_fill /*fill*/, void* /*data*/,
                           const quire_options& /*options*/, quire_file** /*file*/) {
  refuse();
}
quire_status repair_on(const Opening& /*how*/, std::span<const std::int64_t> /*dropped*/,
                       const quire_options& /*options*/, int* /*changed*/, quire_file** /*file*/) {
  refuse();
}

void abort_all_ranks(const char* /*message*/, int /*status*/) {}

}  // namespace quire::fortran
