#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"
#include "quire/spi/plan/stream.hpp"

namespace quire {

/// Reads runs that have no addresses in the file.
class OpaqueReader {
 public:
  /// Reads rows of one column (field component) of a step through the format itself. `object` is the name of the column
  /// or field, for a named table as "table/column".
  virtual void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                           const View& out) = 0;
  /// Must be called before read_opaque() on a rank that has not described step `index` itself, with the received
  /// layout.
  virtual void adopt(std::uint64_t /*index*/, const StepLayout& /*layout*/) {}

 protected:
  ~OpaqueReader() = default;
};

/// Finds damage in the values of steps, and what is intact in damaged steps.
class DamageReader {
 public:
  /// Describer::step(), after checking every value where that relies on the structure of the data alone. Damage is
  /// reported as by step().
  [[nodiscard]] virtual std::optional<StepLayout> verified(std::uint64_t index) = 0;
  /// The readable part of step `index` of a damaged file: a last page that was truncated, with its complete rows. No
  /// value if nothing can be recovered. Called after Describer::step() has thrown for `index`.
  [[nodiscard]] virtual std::optional<StepLayout> salvage(std::uint64_t index) = 0;

 protected:
  ~DamageReader() = default;
};

/// Repairs a file in place.
class Repairer {
 public:
  /// Actions that make the file valid for readers without support for interrupted publications: complete one whose
  /// journal is complete, remove data of an unfinished step after the published end. Empty for a valid file.
  [[nodiscard]] virtual Publication repair() = 0;

 protected:
  ~Repairer() = default;
};

/// Removes single steps in place. Only for formats that locate steps independently (Format::finds_steps_alone).
class StepRemover {
 public:
  /// The actions of Repairer::repair(), and actions that remove steps from the file, which may be unreadable. Throws
  /// unsupported errors if this cannot be done in place.
  [[nodiscard]] virtual Publication drop(std::span<const std::int64_t> numbers) = 0;

 protected:
  ~StepRemover() = default;
};

/// Finds streams.
class StreamFinder {
 public:
  /// Streams of step `index` in the requested order. Throws missing errors that name the first one that the step does
  /// not have, and usage errors for a rank that several streams have.
  [[nodiscard]] virtual std::vector<StreamLayout> streams(std::uint64_t index, StreamsBy by,
                                                          std::span<const std::int64_t> wanted) = 0;

 protected:
  ~StreamFinder() = default;
};

/// Reads attachments.
class AttachmentReader {
 public:
  /// Reads bytes of an attachment of the file, from `offset` on. Throws missing errors, and usage errors past its end.
  virtual void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) = 0;

 protected:
  ~AttachmentReader() = default;
};

/// DamageReader::verified(), or Describer::step() if the structure of the data shows all damage.
[[nodiscard]] std::optional<StepLayout> verified_step(Describer& describer, std::uint64_t index);
/// DamageReader::salvage(); no value if the describer recovers nothing.
[[nodiscard]] std::optional<StepLayout> salvaged_step(Describer& describer, std::uint64_t index);
/// Repairer::repair(); empty if the format has nothing to repair.
[[nodiscard]] Publication repair_acts(Describer& describer);

}  // namespace quire
