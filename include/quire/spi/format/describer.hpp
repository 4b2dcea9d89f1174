#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// What a describer may use in addition to the bytes of its file.
struct DescribeContext {
  std::string path;                           ///< for messages, and the name of the file in its directory
  std::uint64_t memory_budget = 64ULL << 20;  ///< for anything whose size the file states, beyond the file's own size
  /// The bytes of another file to which this one refers (an include, an external link), by the name in the file; null
  /// if there is no such file.
  std::function<std::shared_ptr<ByteSource>(const std::string& name)> neighbour;
  /// The bytes of another file of a set, which must be in the directory of the first one: of this file, or of the
  /// `neighbour` with this name.
  std::function<std::shared_ptr<ByteSource>(const std::string& neighbour, const std::string& name)> member{};
  /// The names of all entries of the directory of this file, for formats whose index may be incomplete.
  std::function<std::vector<std::string>()> beside{};
  /// Whether a writer has this file open: then unpublished data are not leftovers. Unset: unknown.
  std::function<bool()> is_being_written{};
};

class OpaqueReader;
class DamageReader;
class Repairer;
class StepRemover;
class StreamFinder;
class AttachmentReader;

/// What only some describers do (quire/spi/format/describer_capabilities.hpp). Null: this one does not.
struct DescriberCapabilities {
  /// Whether consecutive small steps are faster to describe together, before the values of the first one are read. Only
  /// for formats that find a step without reading the one before it.
  bool looks_ahead = false;
  OpaqueReader* opaque = nullptr;  ///< if any run is opaque
  DamageReader* damage = nullptr;
  Repairer* repairer = nullptr;
  StepRemover* remover = nullptr;
  StreamFinder* streams = nullptr;
  AttachmentReader* attachments = nullptr;
};

/// Reads the structure of one file. Used on one rank, which sends the results to the others.
class Describer {
 public:
  virtual ~Describer() = default;

  [[nodiscard]] virtual const FileDescription& file() const = 0;

  /// The number of complete steps. May scan the file once; `step` reads only as far as necessary. If steps are located
  /// independently (Format::finds_steps_alone), unreadable ones count, too.
  [[nodiscard]] virtual std::uint64_t steps() = 0;
  /// The number of step `index`, cheaper than its layout if the format allows. Numbers rise with the index.
  [[nodiscard]] virtual std::int64_t step_number(std::uint64_t index) = 0;
  /// Step `index` in file order (numeric order if the file has none), or no value after the last one. Throws bad_file
  /// errors for damage; the steps before it stay readable.
  [[nodiscard]] virtual std::optional<StepLayout> step(std::uint64_t index) = 0;

  /// The same at any time. The pointers are valid as long as the describer.
  [[nodiscard]] virtual DescriberCapabilities capabilities() { return {}; }
};

}  // namespace quire
