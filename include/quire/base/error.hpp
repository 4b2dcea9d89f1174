#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quire {

/// What went wrong, by what the caller can do about it.
enum class ErrorKind : std::uint8_t {
  usage,        ///< the call itself is wrong: arguments, order of calls, unknown option
  missing,      ///< a file, step, table, column or attribute does not exist
  bad_file,     ///< the bytes of the file contradict its format
  unsupported,  ///< the format or this build does not support it
  type,         ///< a conversion would lose information
  conflict,     ///< ranks or steps disagree (schema, name, number already present)
  io,           ///< the operating system refused (full disk, permission, short read)
  memory,       ///< more memory than the budget allows
  aborted,      ///< a rank ended the step, by abort() or by an exception
  deadline,     ///< a wait for the other ranks took longer than asked
  internal,     ///< a defect of the library
};

/// The name of a kind, as printed in messages: "bad file", "usage", ...
[[nodiscard]] const char* name(ErrorKind kind) noexcept;

/// The one exception of the library.
///
/// All known fields are set. `what()` combines them into one sentence: what happened, where (file, object inside it,
/// byte offset, rank) and what to do.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  // Each returns the error itself, so that a caller can add what it knows:
  // `throw Error(ErrorKind::bad_file, "negative row count").at(offset).advise("run quire recover");`
  Error& in_file(std::string file);
  Error& on(std::string object);
  Error& at(std::uint64_t offset);
  Error& from_rank(int rank);
  Error& advise(std::string advice);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& object() const noexcept { return object_; }
  [[nodiscard]] std::optional<std::uint64_t> offset() const noexcept { return offset_; }
  [[nodiscard]] std::optional<int> rank() const noexcept { return rank_; }
  [[nodiscard]] const std::string& advice() const noexcept { return advice_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  /// All fields as bytes, for sending an error to the other ranks; `unpack` is the inverse.
  [[nodiscard]] std::vector<std::byte> pack() const;
  [[nodiscard]] static Error unpack(std::span<const std::byte> bytes);

 private:
  void compose();

  ErrorKind kind_;
  std::string message_;
  std::string file_;
  std::string object_;
  std::optional<std::uint64_t> offset_;
  std::optional<int> rank_;
  std::string advice_;
  std::string text_;
};

/// An io error for an errno value: "cannot <action>: <strerror>".
[[nodiscard]] Error system_error(const std::string& action, int error_number);

}  // namespace quire
