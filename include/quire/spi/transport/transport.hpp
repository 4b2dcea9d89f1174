#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

enum class Access : std::uint8_t {
  read,    ///< the file exists and is only read
  create,  ///< rank 0 creates the file, replacing an old one; the others open it at their first write
  update,  ///< the file exists and is read and written
  join,    ///< the file is read and written; the first rank that opens it creates it, and none truncates it
};

/// Calls by the number of bytes that each moved.
struct CallSizes {
  /// The largest size of each class; one more class holds all larger calls.
  static constexpr std::array<std::uint64_t, 4> limits{4ULL << 10, 64ULL << 10, 1ULL << 20, 4ULL << 20};
  std::array<std::uint64_t, limits.size() + 1> calls{};

  void count(std::uint64_t bytes) noexcept {
    std::size_t size = 0;
    while (size < limits.size() && bytes > limits[size]) ++size;
    ++calls[size];
  }
  CallSizes& operator+=(const CallSizes& other) noexcept {
    for (std::size_t size = 0; size < calls.size(); ++size) calls[size] += other.calls[size];
    return *this;
  }
  CallSizes& operator-=(const CallSizes& other) noexcept {
    for (std::size_t size = 0; size < calls.size(); ++size) calls[size] -= other.calls[size];
    return *this;
  }
};

/// Calls to the operating system or MPI, their bytes and seconds.
struct TransportCounters {
  std::uint64_t opens = 0;
  std::uint64_t creates = 0;  ///< opens that created the file
  std::uint64_t stats = 0;    ///< queries of the size of a file
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t syncs = 0;
  CallSizes write_sizes;
  CallSizes read_sizes;
  double encode_seconds = 0;    ///< inside encoders and decoders
  double transfer_seconds = 0;  ///< inside the operating system or MPI-IO
  double sync_seconds = 0;      ///< included above: until data were durable

  void count_write(std::uint64_t bytes) noexcept {
    ++writes;
    bytes_written += bytes;
    write_sizes.count(bytes);
  }
  void count_read(std::uint64_t bytes) noexcept {
    ++reads;
    bytes_read += bytes;
    read_sizes.count(bytes);
  }
  TransportCounters& operator+=(const TransportCounters& other) noexcept {
    opens += other.opens;
    creates += other.creates;
    stats += other.stats;
    writes += other.writes;
    reads += other.reads;
    bytes_written += other.bytes_written;
    bytes_read += other.bytes_read;
    syncs += other.syncs;
    write_sizes += other.write_sizes;
    read_sizes += other.read_sizes;
    encode_seconds += other.encode_seconds;
    transfer_seconds += other.transfer_seconds;
    sync_seconds += other.sync_seconds;
    return *this;
  }
};

/// Sizes of the data path, chosen by measurement (specs/performance.md section 5).
struct TransportLimits {
  std::size_t piece = 4 << 20;             ///< bytes per call for ready bytes; rounded up to pages
  std::size_t staging = 1 << 20;           ///< bytes of the staging buffer for encoded bytes; rounded up to pages
  std::size_t pool = 256 << 20;            ///< bytes of the buffers for copies of a step in flight
  std::size_t direct_from = 256 << 10;     ///< ready bytes shorter than this share calls with their neighbours
  std::size_t gap = 4 << 10;               ///< gaps of up to this many bytes between small reads are read and dropped
  std::size_t reserve_from = 16 << 20;     ///< preallocate when the file grows by at least this much,
  std::size_t reserve_new_from = 1 << 20;  ///< or by this much if that more than doubles it
  std::size_t writeback = 8 << 20;         ///< durable: start write-back after this many bytes
  std::size_t largest_record = 256 << 20;  ///< a staging buffer never grows beyond this for one record
};

/// Moves the bytes of a plan between memory and one file. Independent of formats.
///
/// One object per rank and file, kept for all steps. A rank that moves no bytes does not open the file.
/// The object may still be closed after an exception.
class Transport {
 public:
  virtual ~Transport() = default;

  /// True if run() and close() must be called by all ranks together, run() also with an empty plan.
  [[nodiscard]] virtual bool is_collective() const noexcept = 0;

  /// Collective if is_collective(), else independent. Moves all extents of this rank. Throws io errors that name the
  /// file and the offset, and bad_file errors for a short file. Errors of decoders get the absolute offset.
  virtual void run(const WritePlan& mine) = 0;
  virtual void run(const ReadPlan& mine) = 0;

  /// Independent. Whether all ranks must run another plan together because one of them has further plans for the
  /// request; known after a plan has been read collectively. If false, a rank with further plans runs them alone.
  [[nodiscard]] virtual bool comes_again() const noexcept { return false; }

  /// Independent, also of a collective transport. For small transfers, and blocks of a streamed step.
  virtual void run_alone(const WritePlan& mine) = 0;
  virtual void run_alone(const ReadPlan& mine) = 0;

  /// Independent. Reads at `offset`; returns fewer bytes than requested only at the end of the file.
  [[nodiscard]] virtual std::size_t get(std::uint64_t offset, std::span<std::byte> out) = 0;
  /// Independent.
  virtual void put(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  virtual void resize(std::uint64_t size) = 0;
  /// Independent, a hint, rank 0. Bytes [from, to) will be written soon: preallocates them where that is faster.
  virtual void reserve(std::uint64_t from, std::uint64_t to) = 0;
  /// Independent. Makes durable what this rank's node wrote, with `directory` also the directory entry of the file.
  virtual void sync(bool directory) = 0;
  /// Collective if is_collective(), else independent. Reports errors that the operating system has deferred. May be
  /// called twice. Destructors release resources without it, and without waiting for other ranks.
  virtual void close() = 0;

  [[nodiscard]] virtual const TransportCounters& counters() const noexcept = 0;
};

struct TransportOptions {
  TransportLimits limits;
  bool durable = false;
};

/// Collective. Opens `path` with the transport of this name ("posix", "mpi_independent", "mpi_collective",
/// "aggregated"). All ranks throw the same error.
[[nodiscard]] std::unique_ptr<Transport> open_transport(std::string_view name, const std::string& path, Access access,
                                                        const Comm& comm, const TransportOptions& options);

/// Independent. The same without an agreement on errors: a failure is thrown on this rank alone. Rank 0 opens or
/// creates the file at once; the others open it when they first need it.
[[nodiscard]] std::unique_ptr<Transport> make_transport(std::string_view name, const std::string& path, Access access,
                                                        const Comm& comm, const TransportOptions& options);

/// Independent. The transports of this build, the default first.
[[nodiscard]] std::vector<std::string> transport_names();

/// Independent. Whether transports of this name are collective (Transport::is_collective()). Throws usage errors for
/// a name that this build does not have.
[[nodiscard]] bool is_transport_collective(std::string_view name);

/// Independent. Whether a transport of this name needs only positional calls of the operating system, so that a thread
/// may run plans alone that never calls MPI. Throws usage errors for a name that this build does not have.
[[nodiscard]] bool moves_in_background(std::string_view name);

/// Wraps every transport that this process opens later: tests insert the trace and the faulty transport here.
using TransportWrapper =
    std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>, const std::string& path, int rank)>;

}  // namespace quire
