#include "format/hdf5/planning/layout.hpp"

#include <utility>

#include "format/hdf5/library/file_writer.hpp"

namespace quire::hdf5 {

Publication Layout::session(FileWriter& writer, std::vector<PlannedSpace> planned, const SessionWork& work) {
  const auto write = [&](hid_t file) {
    work.write(file);
    if (work.drop) work.drop(file);
  };
  return writer.session(std::move(planned), write, work.release);
}

}  // namespace quire::hdf5
