#include "comm/mpi_exchange.hpp"

#include <algorithm>
#include <utility>

#include "comm/mpi_error.hpp"

namespace quire {
namespace {

/// Keeps counts far below the range of int, and limits the memory of a piece.
constexpr std::size_t piece_bytes = std::size_t{16} << 20;

constexpr const char* operation = "exchange bytes with other ranks";

}  // namespace

MpiExchange::MpiExchange(MPI_Comm communicator, int tag, std::vector<Parcel> parcels)
    : communicator_(communicator), tag_(tag), parcels_(std::move(parcels)) {}

bool MpiExchange::advance() {
  if (!is_sent_) send();
  while (receive()) {
  }
  if (!is_in_barrier_ && sends_are_done()) {
    check_mpi(operation, MPI_Ibarrier(communicator_, &barrier_));
    is_in_barrier_ = true;
  }
  if (!is_in_barrier_) return false;
  // Other ranks depend on this one inside the barrier: progress it even if parcels for this rank are still incoming.
  int all_are_done = 0;
  check_mpi(operation, MPI_Test(&barrier_, &all_are_done, MPI_STATUS_IGNORE));
  return all_are_done != 0 && incoming_ == MPI_REQUEST_NULL;
}

void MpiExchange::send() {
  is_sent_ = true;
  for (Parcel& parcel : parcels_) {
    for (std::size_t at = 0; at < parcel.bytes.size(); at += piece_bytes) {
      const std::size_t length = std::min(piece_bytes, parcel.bytes.size() - at);
      check_mpi(operation, MPI_Issend(parcel.bytes.data() + at, static_cast<int>(length), MPI_BYTE, parcel.rank, tag_,
                                      communicator_, &sends_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
}

bool MpiExchange::receive() {
  if (incoming_ == MPI_REQUEST_NULL) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    check_mpi(operation, MPI_Improbe(MPI_ANY_SOURCE, tag_, communicator_, &is_there, &message, &status));
    if (is_there == 0) return false;
    int length = 0;
    check_mpi(operation, MPI_Get_count(&status, MPI_BYTE, &length));
    from_ = status.MPI_SOURCE;
    piece_.resize(static_cast<std::size_t>(length));
    check_mpi(operation, MPI_Imrecv(piece_.data(), length, MPI_BYTE, &message, &incoming_));
  }
  int done = 0;
  check_mpi(operation, MPI_Test(&incoming_, &done, MPI_STATUS_IGNORE));
  if (done == 0) return false;
  // Pieces of one sender are received in the order in which they were sent.
  std::vector<std::byte>& whole = received_[from_];
  whole.insert(whole.end(), piece_.begin(), piece_.end());
  return true;
}

bool MpiExchange::sends_are_done() {
  int done = 0;
  check_mpi(operation, MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE));
  return done != 0;
}

std::vector<Parcel> MpiExchange::take() {
  std::vector<Parcel> parcels;
  for (auto& [rank, bytes] : received_) parcels.push_back({rank, std::move(bytes)});
  received_.clear();
  return parcels;
}

}  // namespace quire
