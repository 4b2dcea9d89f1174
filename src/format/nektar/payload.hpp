#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/payload_text.hpp"
#include "quire/base/endian.hpp"
#include "quire/kernels/base64.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::nektar {

/// The doubles of one block as they stand in XML: compressed by zlib and written in base64 (specs/nektar-fld.md section
/// 3.4). They come in order; whoever goes back begins anew.
class PayloadReader {
 public:
  /// `text` is where the characters stand, `values` how many doubles they must make.
  PayloadReader(ByteSource& bytes, const Extent& text, std::uint64_t values, ByteOrder order);
  ~PayloadReader();
  PayloadReader(const PayloadReader&) = delete;
  PayloadReader& operator=(const PayloadReader&) = delete;

  /// The doubles from `first` on, in native byte order. Throws bad_file errors with offsets for what is no such text,
  /// and for one that holds another number of doubles.
  void read(std::uint64_t first, std::span<double> out);

 private:
  void begin();
  void read_on(std::uint64_t first, std::span<double> out);
  void inflate_into(std::span<std::byte> out);
  void refill();
  /// Behind the last double: the stream ends here, and only zero bytes follow it.
  void expect_end();
  [[noreturn]] void refuse(const std::string& what) const;

  ByteSource& bytes_;
  Extent text_;
  std::uint64_t values_;
  ByteOrder order_;
  struct Stream;  ///< zlib's
  std::unique_ptr<Stream> stream_;
  kernels::Base64Decoder decoder_;
  std::uint64_t position_ = 0;  ///< the next double
  std::optional<PayloadText> characters_;
  std::string_view piece_;   ///< of them, as far as it is not yet decoded
  std::uint64_t place_ = 0;  ///< where it stands
  std::vector<std::byte> compressed_;
};

/// Makes such text: add() doubles in native byte order, then finish(). Text goes to `take` in pieces.
class PayloadWriter {
 public:
  using Take = std::function<void(std::string_view)>;
  /// So many zlib is given at a time, for the text may depend on it: calls of add() that do not end a variable bring a
  /// multiple.
  static constexpr std::size_t doubles_at_once = std::size_t{8} << 10;

  explicit PayloadWriter(Take take);
  ~PayloadWriter();
  PayloadWriter(const PayloadWriter&) = delete;
  PayloadWriter& operator=(const PayloadWriter&) = delete;

  void add(std::span<const double> values);
  void finish();

 private:
  void deflate(std::span<const std::byte> bytes, bool last);
  void encode(bool last);

  Take take_;
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::vector<std::byte> compressed_;  ///< not yet written: fewer bytes than three, between calls
};

}  // namespace quire::nektar
