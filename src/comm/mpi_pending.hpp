#pragma once

#include <exception>
#include <utility>

namespace quire {

/// What has been posted to MPI and is not complete: MPI may use its buffers until then. What is given up must outlive
/// the communicator, because MPI knows no way to take it back.
class MpiPending {
 public:
  MpiPending() = default;
  MpiPending(const MpiPending&) = delete;
  MpiPending& operator=(const MpiPending&) = delete;
  virtual ~MpiPending() = default;

  /// Goes on as far as it can without waiting; true when it is complete for this rank.
  [[nodiscard]] virtual bool advance() = 0;
  /// Whether MPI may still use its buffers when it is complete, for what this rank has said to others.
  [[nodiscard]] virtual bool may_be_unheard() const noexcept { return false; }
  /// Without waiting, of what is complete: true when MPI has done with its buffers.
  [[nodiscard]] virtual bool is_received() { return true; }
  /// Whether this rank has answered others since it was last asked: that is no waiting.
  [[nodiscard]] bool take_answered() noexcept { return std::exchange(has_answered_, false); }
  /// Throws what the answer of this rank has thrown, when the others have been told that there is none.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 protected:
  /// Runs what rank 0 says in between. False, so that others need not wait for ever, if it throws.
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
