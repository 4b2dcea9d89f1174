#include "transport/compress_file.hpp"

#include <algorithm>
#include <vector>

#include "quire/base/error.hpp"
#include "transport/failure.hpp"
#include "transport/piece_coder.hpp"

namespace quire {
namespace {

constexpr int most_coders = 256;

/// One rank's part of the compression of a file.
class FileCompressor {
 public:
  FileCompressor(Comm& comm, Transport& source, Transport& sink, const std::string& plain)
      : comm_(comm), source_(source), sink_(sink), failure_(plain), coders_(std::min(comm.size(), most_coders)) {}

  void run(const CompressionChoice& choice, bool durable) {
    failure_.attempt([&] { coder_ = make_piece_coder(choice.compression, choice.level); });
    learn_size();
    if (comm_.is_root()) put_and_advance([&] { return coder_->begin(); });
    share_end();
    const std::uint64_t pieces = std::max<std::uint64_t>(1, (size_ + piece_to_code - 1) / piece_to_code);
    for (std::uint64_t first = 0; first < pieces; first += static_cast<std::uint64_t>(coders_)) {
      if (!round(first, pieces)) break;
    }
    if (comm_.is_root()) put_and_advance([&] { return coder_->end(); });
    if (durable && has_written_) failure_.attempt([&] { sink_.sync(false); });
    failure_.attempt_always([&] { source_.close(); });
    failure_.attempt_always([&] { sink_.close(); });
  }

  [[nodiscard]] const std::optional<Error>& error() const noexcept { return failure_.error(); }

 private:
  void learn_size() {
    if (comm_.is_root()) failure_.attempt([&] { size_ = source_.size(); });
    comm_.broadcast(std::as_writable_bytes(std::span(&size_, 1)));
  }

  void share_end() { comm_.broadcast(std::as_writable_bytes(std::span(&end_, 1))); }

  /// Rank 0: writes bytes that belong to no piece.
  template <class Make>
  void put_and_advance(Make&& make) {
    failure_.attempt([&] {
      const std::vector<std::byte> bytes = make();
      sink_.put(end_, bytes);
      end_ += bytes.size();
      has_written_ = has_written_ || !bytes.empty();
    });
  }

  [[nodiscard]] std::uint64_t length_of(std::uint64_t piece) const {
    const std::uint64_t begin = piece * piece_to_code;
    return std::min<std::uint64_t>(piece_to_code, size_ - std::min(size_, begin));
  }

  /// Each rank compresses one piece; then all know the offsets. False if a rank has failed.
  bool round(std::uint64_t first, std::uint64_t pieces) {
    const auto mine = static_cast<std::size_t>(comm_.rank());
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(coders_, pieces - first));
    CodedPiece coded;
    if (mine < count) failure_.attempt([&] { coded = code(first + mine); });
    std::vector<std::uint64_t> words(1 + count);
    words[0] = failure_.error() ? 1 : 0;
    if (mine < count) words[1 + mine] = coded.mark;
    comm_.sum(words);
    if (words[0] != 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == mine) failure_.attempt([&] { put(coded.bytes); });
      if (comm_.is_root()) failure_.attempt([&] { coder_->note(words[1 + i], length_of(first + i)); });
      end_ += coder_->length(words[1 + i]);
    }
    return true;
  }

  [[nodiscard]] CodedPiece code(std::uint64_t piece) {
    plain_.resize(static_cast<std::size_t>(length_of(piece)));
    if (source_.get(piece * piece_to_code, plain_) < plain_.size()) {
      throw Error(ErrorKind::io, "the file was truncated while it was compressed").at(piece * piece_to_code);
    }
    return coder_->code(plain_);
  }

  void put(std::span<const std::byte> bytes) {
    sink_.put(end_, bytes);
    has_written_ = true;
  }

  Comm& comm_;
  Transport& source_;
  Transport& sink_;
  FirstFailure failure_;
  int coders_;
  std::unique_ptr<PieceCoder> coder_{};
  std::vector<std::byte> plain_{};
  std::uint64_t size_ = 0;  ///< of the plain file
  std::uint64_t end_ = 0;   ///< of what all ranks have written
  bool has_written_ = false;
};

}  // namespace

void compress_file(Comm& comm, const OpenFile& open, const std::string& plain, const std::string& target,
                   const CompressionChoice& choice, bool durable) {
  const auto source = open(plain, Access::read);
  const auto sink = open(target, Access::create);
  FileCompressor compressor(comm, *source, *sink, plain);
  compressor.run(choice, durable);
  std::optional<Error> mine = compressor.error();
  if (mine && !mine->rank()) mine->from_rank(comm.rank());
  agree(comm, mine);
}

}  // namespace quire
