#include <algorithm>
#include <climits>
#include <numeric>
#include <utility>

#include "method.hpp"
#include "mpi_checks.hpp"
#include "quire/comm/mpi.hpp"

namespace quire::probe {
namespace {

/// What one call can count in bytes; larger ones count blocks.
constexpr std::uint64_t most_bytes = INT_MAX;
constexpr int block_bytes = 4 << 20;

/// A type that is freed with its scope.
class Type {
 public:
  Type() = default;
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype* address() { return &type_; }
  [[nodiscard]] MPI_Datatype committed() {
    require(MPI_Type_commit(&type_), "commit a type");
    return type_;
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Bytes in memory as MPI counts them: single ones, or blocks of many.
class Amount {
 public:
  explicit Amount(std::uint64_t bytes) : count_(static_cast<int>(std::min(bytes, most_bytes))) {
    if (bytes <= most_bytes) return;
    if (bytes % block_bytes != 0) throw Error(ErrorKind::usage, "a big request must be a multiple of 4 MiB");
    count_ = static_cast<int>(bytes / block_bytes);
    require(MPI_Type_contiguous(block_bytes, MPI_BYTE, block_.address()), "make a type");
    type_ = block_.committed();
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
  Type block_;
};

/// All ranks, arranged in a grid if wanted.
class Grid {
 public:
  Grid(const Comm& comm, bool wanted) : plain_(mpi_handle(comm)) {
    if (!wanted) return;
    std::array<int, 2> extents{};
    const std::array<int, 2> periods{};
    require(MPI_Dims_create(comm.size(), 2, extents.data()), "arrange ranks");
    require(MPI_Cart_create(plain_, 2, extents.data(), periods.data(), 0, &grid_), "make a grid of ranks");
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() {
    if (grid_ != MPI_COMM_NULL) MPI_Comm_free(&grid_);
  }
  [[nodiscard]] MPI_Comm communicator() const { return grid_ == MPI_COMM_NULL ? plain_ : grid_; }

 private:
  MPI_Comm plain_;
  MPI_Comm grid_ = MPI_COMM_NULL;
};

/// An open file, which all ranks close together: a rank that fails as well, or the others would wait for it.
class File {
 public:
  File(MPI_Comm communicator, const std::string& path, int mode, const Hints& hints) {
    MPI_Info info = MPI_INFO_NULL;
    require(MPI_Info_create(&info), "make hints");
    for (const auto& [key, value] : hints) require(MPI_Info_set(info, key.c_str(), value.c_str()), "set a hint");
    const int code = MPI_File_open(communicator, path.c_str(), mode, info, &file_);
    MPI_Info_free(&info);
    require(code, "open a file");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }
  [[nodiscard]] MPI_File handle() const { return file_; }
  void close() {
    MPI_File file = std::exchange(file_, MPI_FILE_NULL);
    require(MPI_File_close(&file), "close a file");
  }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

class MpiIoMethod final : public Method {
 public:
  MpiIoMethod(std::string calls, Hints hints) : calls_(std::move(calls)), hints_(std::move(hints)) {}

  void write(Comm& comm, const std::string& path, const Pieces& mine) override { move(comm, path, mine, true); }
  void read(Comm& comm, const std::string& path, const Pieces& mine) override { move(comm, path, mine, false); }

 private:
  void move(Comm& comm, const std::string& path, const Pieces& mine, bool writing) {
    const Grid grid(comm, calls_ == "cartesian");
    File file(grid.communicator(), path, writing ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY, hints_);
    if (calls_ == "independent" || calls_ == "collective") {
      in_pieces(comm, file.handle(), mine, writing);
    } else {
      by_view(file.handle(), mine, writing);
    }
    file.close();
  }

  /// One call for each piece; collective ones as often as the rank with most pieces needs, whatever fails: others take
  /// part in them.
  void in_pieces(Comm& comm, MPI_File file, const Pieces& mine, bool writing) const {
    const bool together = calls_ == "collective";
    std::uint64_t rounds = mine.extents.size();
    if (together) comm.maximum(std::span(&rounds, 1));
    std::size_t position = 0;
    int first_failure = MPI_SUCCESS;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Extent extent = round < mine.extents.size() ? mine.extents[round] : Extent{};
      const Amount amount(extent.length);
      std::byte* memory = mine.memory.data() + position;
      const auto offset = static_cast<MPI_Offset>(extent.offset);
      const auto call = writing ? (together ? MPI_File_write_at_all : write_at) : read_call(together);
      const int code = call(file, offset, memory, amount.count(), amount.type(), MPI_STATUS_IGNORE);
      if (first_failure == MPI_SUCCESS) first_failure = code;
      position += static_cast<std::size_t>(extent.length);
    }
    require(first_failure, writing ? "write" : "read");
  }

  using Call = int (*)(MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*);

  static int write_at(MPI_File file, MPI_Offset offset, const void* memory, int count, MPI_Datatype type,
                      MPI_Status* status) {
    return MPI_File_write_at(file, offset, memory, count, type, status);
  }

  /// Reading calls with the signature of writing ones.
  static Call read_call(bool together) {
    if (together) {
      return
          [](MPI_File file, MPI_Offset offset, const void* memory, int count, MPI_Datatype type, MPI_Status* status) {
            return MPI_File_read_at_all(file, offset, const_cast<void*>(memory), count, type, status);
          };
    }
    return [](MPI_File file, MPI_Offset offset, const void* memory, int count, MPI_Datatype type, MPI_Status* status) {
      return MPI_File_read_at(file, offset, const_cast<void*>(memory), count, type, status);
    };
  }

  /// All pieces by one call through a view of the file.
  static void by_view(MPI_File file, const Pieces& mine, bool writing) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const Extent& extent : mine.extents) {
      constexpr std::uint64_t longest = std::uint64_t{1} << 30;
      for (std::uint64_t done = 0; done < extent.length; done += longest) {
        lengths.push_back(static_cast<int>(std::min(longest, extent.length - done)));
        offsets.push_back(static_cast<MPI_Aint>(extent.offset + done));
      }
    }
    Type view;
    MPI_Datatype shape = MPI_BYTE;
    if (!lengths.empty()) {
      require(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), MPI_BYTE,
                                       view.address()),
              "make a type of the file");
      shape = view.committed();
    }
    require(MPI_File_set_view(file, 0, MPI_BYTE, shape, "native", MPI_INFO_NULL), "set a view");
    const Amount amount(mine.bytes());
    if (writing) {
      require(MPI_File_write_all(file, mine.memory.data(), amount.count(), amount.type(), MPI_STATUS_IGNORE), "write");
    } else {
      require(MPI_File_read_all(file, mine.memory.data(), amount.count(), amount.type(), MPI_STATUS_IGNORE), "read");
    }
  }

  std::string calls_;
  Hints hints_;
};

}  // namespace

std::unique_ptr<Method> mpi_io_method(const std::string& calls, const Hints& hints) {
  constexpr std::array known{"independent", "collective", "view", "cartesian"};
  if (std::ranges::find(known, calls) == known.end()) {
    throw Error(ErrorKind::usage, "there are no calls '" + calls + "' of MPI-IO");
  }
  return std::make_unique<MpiIoMethod>(calls, hints);
}

}  // namespace quire::probe
