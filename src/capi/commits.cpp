#include <functional>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "quire/capi/files.h"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

quire::WriteStep end_step(quire_file& file) {
  static_cast<void>(open_step(file));
  return *std::exchange(file.write_step, std::nullopt);
}

/// Ends the step in all cases, and returns what belonged to it. A rank whose own put or set failed aborts it.
quire_file::Pending commit_step(quire_file& file, const std::function<void(quire::WriteStep&)>& commit) {
  refuse_in_fill(file);
  quire::WriteStep step = end_step(file);
  quire_file::Pending pending = std::exchange(file.pending, {});
  if (pending.refused) {
    step.abort(pending.refused->message());
    throw Error(*pending.refused);
  }
  if (!pending.fields.empty()) {
    const Error unused = Error(ErrorKind::usage, "it was described for a field that was not put after it")
                             .on(pending.fields.begin()->first)
                             .advise("describe a field before it is put, by its name");
    step.abort(unused.message());
    throw Error(unused);
  }
  commit(step);
  return pending;
}

}  // namespace

extern "C" {

quire_status quire_commit(quire_file* file) {
  return guarded(file, [&] {
    static_cast<void>(commit_step(*file, [](quire::WriteStep& step) { step.commit(); }));
    file->lent = {};
  });
}

int quire_overlaps(const quire_file* file) {
  return file != nullptr && file->writer && file->writer->overlaps() ? 1 : 0;
}

quire_status quire_commit_async(quire_file* file, int borrow) {
  return guarded(file, [&] {
    file->lent = commit_step(*file, [&](quire::WriteStep& step) { step.commit_async({.borrow = borrow != 0}); });
  });
}

quire_status quire_wait(quire_file* file) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    writer_of(*file).wait();
  });
}

quire_status quire_test(quire_file* file, int* done) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    // Without a place for the answer this rank still takes part.
    const bool is_done = writer_of(*file).test();
    place(done, "the answer") = is_done ? 1 : 0;
  });
}

quire_status quire_abort(quire_file* file, const char* reason) {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    quire::WriteStep step = end_step(*file);
    step.abort(reason != nullptr ? reason : "no reason given");
    file->pending = {};
  });
}

}  // extern "C"
