#pragma once

#include <exception>
#include <utility>

namespace quire {

/// An operation that has been posted to MPI and is not complete: MPI may use its buffers until then. An abandoned
/// operation must outlive the communicator, because MPI cannot cancel it.
class MpiPending {
 public:
  MpiPending() = default;
  MpiPending(const MpiPending&) = delete;
  MpiPending& operator=(const MpiPending&) = delete;
  virtual ~MpiPending() = default;

  /// Progresses as far as possible without waiting; true when the operation is complete on this rank.
  [[nodiscard]] virtual bool advance() = 0;
  /// Whether MPI may still use the buffers after completion, for messages that others have not received.
  [[nodiscard]] virtual bool may_be_in_transit() const noexcept { return false; }
  /// Does not wait. After completion: true when MPI no longer uses the buffers.
  [[nodiscard]] virtual bool is_received() { return true; }
  /// Whether this rank has run its answer since the last call: the deadline of a wait does not include that time.
  [[nodiscard]] bool take_answered() noexcept { return std::exchange(has_answered_, false); }
  /// Rethrows the exception of this rank's answer, after the others have been sent that there is none.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 protected:
  /// Runs the answer of rank 0. Returns false if it throws, so that the other ranks are not left waiting.
  template <class Answer>
  [[nodiscard]] bool answer(Answer&& say) {
    has_answered_ = true;
    try {
      say();
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

 private:
  bool has_answered_ = false;
  std::exception_ptr failure_;
};

}  // namespace quire
