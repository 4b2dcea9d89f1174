#include <utility>

#include "capi/handle.hpp"
#include "quire/base/error.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;

quire::Writer& writer_of(quire_file& file) {
  if (file.is_filling) {
    throw Error(ErrorKind::usage, "quire_write_file() does this itself: its fill only sets and puts");
  }
  if (file.writer) return *file.writer;
  throw Error(ErrorKind::usage, file.reader ? "the file is open for reading" : "the file is not open");
}

}  // namespace

quire_status quire_commit_async(quire_file* file, int borrow) {
  return quire::capi::guarded(file, [&] {
    writer_of(*file);
    if (!file->write_step) throw Error(ErrorKind::usage, "no step is open").advise("call quire_step first");
    // The step ends in all cases.
    quire::WriteStep step = *std::exchange(file->write_step, std::nullopt);
    if (const auto refused = std::exchange(file->refused, std::nullopt)) {
      step.abort(refused->message());
      throw Error(*refused);
    }
    step.commit_async({.borrow = borrow != 0});
  });
}

quire_status quire_wait(quire_file* file) {
  return quire::capi::guarded(file, [&] { writer_of(*file).wait(); });
}

quire_status quire_test(quire_file* file, int* done) {
  return quire::capi::guarded(file, [&] {
    // Without a place for the answer this rank still takes part.
    const bool is_done = writer_of(*file).test();
    if (done == nullptr) throw Error(ErrorKind::usage, "the place for the answer is a null pointer");
    *done = is_done ? 1 : 0;
  });
}
