#include "quire/base/error.hpp"

#include <cstring>
#include <utility>

#include "quire/spi/base/archive.hpp"

namespace quire {

const char* name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::missing:
      return "missing";
    case ErrorKind::bad_file:
      return "bad file";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::type:
      return "type";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::io:
      return "io";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::aborted:
      return "aborted";
    case ErrorKind::deadline:
      return "deadline";
    case ErrorKind::internal:
      return "internal";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) { compose(); }

Error& Error::in_file(std::string file) {
  file_ = std::move(file);
  compose();
  return *this;
}

Error& Error::on(std::string object) {
  object_ = std::move(object);
  compose();
  return *this;
}

Error& Error::at(std::uint64_t offset) {
  offset_ = offset;
  compose();
  return *this;
}

Error& Error::from_rank(int rank) {
  rank_ = rank;
  compose();
  return *this;
}

Error& Error::advise(std::string advice) {
  advice_ = std::move(advice);
  compose();
  return *this;
}

void Error::compose() {
  text_.clear();
  if (!file_.empty()) text_ += file_ + ": ";
  if (!object_.empty()) text_ += object_ + ": ";
  text_ += message_;
  if (offset_) text_ += " (at byte " + std::to_string(*offset_) + ")";
  if (rank_) text_ += " [rank " + std::to_string(*rank_) + "]";
  if (!advice_.empty()) text_ += "; " + advice_;
  // what() ends at the first zero byte, which a name may contain.
  for (std::size_t at = text_.find('\0'); at != std::string::npos; at = text_.find('\0', at)) {
    text_.replace(at, 1, "\\x00");
  }
}

std::vector<std::byte> Error::pack() const {
  Packer packer;
  packer(kind_, message_, file_, object_, offset_, rank_, advice_);
  return packer.take();
}

Error Error::unpack(std::span<const std::byte> bytes) {
  Error error(ErrorKind::internal, {});
  Unpacker unpacker(bytes);
  unpacker(error.kind_, error.message_, error.file_, error.object_, error.offset_, error.rank_, error.advice_);
  error.compose();
  return error;
}

Error system_error(const std::string& action, int error_number) {
  return {ErrorKind::io, "cannot " + action + ": " + std::strerror(error_number)};
}

}  // namespace quire
