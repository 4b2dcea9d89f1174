#pragma once

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
};

}  // namespace quire
