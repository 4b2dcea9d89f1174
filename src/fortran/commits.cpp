#include <utility>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::require;

/// Ends the step by a collective call. A rank whose own put or set was refused by the module drops the step instead.
void commit_by(File& file, const std::function<quire_status(quire_file*)>& commit) {
  if (!file.refused.empty()) quire::fortran::drop_refused_step(file);
  const quire_status status = commit(file.file);
  quire::fortran::end_step(file);
  require(file, status);
}

}  // namespace

extern "C" {

quire_status quire_fortran_commit(File* file) {
  return guarded(file, [](File& open) { commit_by(open, &quire_commit); });
}

quire_status quire_fortran_commit_async(File* file, int borrow) {
  return guarded(file, [&](File& open) {
    commit_by(open, [&](quire_file* handle) {
      const quire_status status = quire_commit_async(handle, borrow);
      if (status == QUIRE_OK) open.lent = std::exchange(open.copies, {});
      return status;
    });
  });
}

int quire_fortran_overlaps(const File* file) { return file != nullptr ? quire_overlaps(file->file) : 0; }

quire_status quire_fortran_wait(File* file) {
  return guarded(file, [](File& open) {
    require(open, quire_wait(open.file));
    open.lent.clear();
  });
}

quire_status quire_fortran_test(File* file, int* done) {
  return guarded(file, [&](File& open) {
    require(open, quire_test(open.file, done));
    if (*done != 0) open.lent.clear();
  });
}

quire_status quire_fortran_abort(File* file, const char* reason) {
  return guarded(file, [&](File& open) {
    const quire_status status = quire_abort(open.file, reason);
    quire::fortran::end_step(open);
    require(open, status);
  });
}

}  // extern "C"
