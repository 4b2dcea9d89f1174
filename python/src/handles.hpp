#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <mutex>

#include "buffer.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "value.hpp"

namespace quire::python {

/// The memory that the views of a step look at. Addresses stay: the views point into it.
struct Held {
  std::deque<Buffer> buffers;
  std::deque<PackedStrings> strings;

  void release() {
    buffers.clear();
    strings.clear();
  }

  /// A view of an array of numbers or, for strings, of a copy of the sequence.
  ConstView view(Type type, nanobind::handle values) {
    if (type == Type::string) return strings.emplace_back(pack_strings(values));
    return buffers.emplace_back(values, Buffer::Use::look).numbers(type);
  }
};

/// A reader or writer that several Python threads may use: one at a time gets in, without the interpreter lock.
template <class File>
class Shared {
 public:
  /// The arrays that a step in flight borrows. They go after the file; changed only with the interpreter lock.
  Held lent;
  File opened;

  explicit Shared(File file) : opened(std::move(file)) {}

  /// Runs `work` on the file alone and without the interpreter lock. Throws usage errors in a process that was forked
  /// while another thread was in here.
  template <class Work>
  auto run(Work&& work) {
    if (process_ != ::getpid()) enter_child();
    const nanobind::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return work(opened);
  }

 private:
  /// The first call in a child: no thread of it has used the file, so the lock is free or was held by one of the
  /// parent.
  void enter_child() {
    const std::unique_lock free(mutex_, std::try_to_lock);
    if (!free) {
      throw Error(ErrorKind::usage, "another thread was using the file when this process was forked")
          .advise("open the file again in this process");
    }
    process_ = ::getpid();
  }

  std::mutex mutex_;
  pid_t process_ = ::getpid();  ///< that uses the file; read and changed under the interpreter lock
};
using OpenReader = Shared<Reader>;
using OpenWriter = Shared<Writer>;

struct ReaderHandle {
  std::shared_ptr<OpenReader> file;
};

struct ReadStepHandle {
  std::shared_ptr<OpenReader> file;
  ReadStep step;
};

struct WriterHandle {
  std::shared_ptr<OpenWriter> file;
};

struct WriteStepHandle {
  // The step goes before the arrays that it looks at: members are destroyed from below.
  std::shared_ptr<OpenWriter> file;
  Held held;
  WriteStep step;
};

}  // namespace quire::python
