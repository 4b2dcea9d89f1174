#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/xml/payload_text.hpp"
#include "kernels/base64.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::nektar {

/// Reads the doubles of one block in XML, compressed by zlib and encoded in base64 (specs/nektar-fld.md section 3.4).
/// They are decoded in order; a read at an earlier position starts again from the beginning.
class PayloadReader {
 public:
  /// `text` is the extent of the characters, `values` the expected number of doubles.
  PayloadReader(ByteSource& bytes, const Extent& text, std::uint64_t values, ByteOrder order);
  ~PayloadReader();
  PayloadReader(const PayloadReader&) = delete;
  PayloadReader& operator=(const PayloadReader&) = delete;

  /// Reads doubles starting at `first`, in native byte order. Throws bad_file errors with offsets for invalid text and
  /// for another number of doubles.
  void read(std::uint64_t first, std::span<double> out);

 private:
  void begin();
  void read_on(std::uint64_t first, std::span<double> out);
  void inflate_into(std::span<std::byte> out);
  void refill();
  /// After the last double: the zlib stream must end here, followed only by zero bytes.
  void expect_end();
  [[noreturn]] void refuse(const std::string& what) const;

  ByteSource& bytes_;
  Extent text_;
  std::uint64_t values_;
  ByteOrder order_;
  struct Stream;  ///< of zlib
  std::unique_ptr<Stream> stream_;
  kernels::Base64Decoder decoder_;
  std::uint64_t position_ = 0;  ///< the next double
  std::optional<PayloadText> characters_;
  std::string_view piece_;   ///< the characters that are not yet decoded
  std::uint64_t place_ = 0;  ///< its offset in the file
  std::vector<std::byte> compressed_;
};

/// Encodes doubles in this way: add() doubles in native byte order, then finish(). The text is passed to `take` in
/// pieces.
class PayloadWriter {
 public:
  using Take = std::function<void(std::string_view)>;
  /// The number of doubles passed to zlib at a time, since the text may depend on it. Every call of add() that does not
  /// end a variable must pass a multiple of it.
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
  std::vector<std::byte> compressed_;  ///< not yet encoded: fewer than three bytes between calls
};

}  // namespace quire::nektar
