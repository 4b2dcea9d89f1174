#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/format/streams.hpp"
#include "quire/model/description.hpp"
#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"
#include "quire/plan/stream.hpp"

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

  /// Whether consecutive small steps are faster to describe together, before the values of the first one are read. Only
  /// for formats that find a step without reading the one before it.
  [[nodiscard]] virtual bool looks_ahead() const { return false; }

  /// The same, after checking every value where step() relies on the structure of the data alone. Damage is reported as
  /// by step().
  [[nodiscard]] virtual std::optional<StepLayout> verified(std::uint64_t index);

  /// For opaque runs: reads rows of one column (field component) of a step through the format itself. `object` is the
  /// name of the column or field, for a named table as "table/column".
  virtual void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                           const View& out);

  /// Streams of step `index` in the requested order. Throws missing errors that name the first one that the step does
  /// not have, and usage errors for a rank that several streams have.
  [[nodiscard]] virtual std::vector<StreamLayout> streams(std::uint64_t index, StreamsBy by,
                                                          std::span<const std::int64_t> wanted);

  /// Must be called before read_opaque() on a rank that has not described step `index` itself, with the received
  /// layout.
  virtual void adopt(std::uint64_t index, const StepLayout& layout);

  /// Reads bytes of an attachment of the file, from `offset` on. Throws missing errors, and usage errors past its end.
  virtual void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out);

  /// The readable part of step `index` of a damaged file: a last page that was truncated, with its complete rows. No
  /// value if nothing can be recovered. Called after step() has thrown for `index`.
  [[nodiscard]] virtual std::optional<StepLayout> salvage(std::uint64_t index);

  /// Actions that make the file valid for readers without support for interrupted publications: complete one whose
  /// journal is complete, remove data of an unfinished step after the published end. Empty for a valid file.
  [[nodiscard]] virtual Publication repair();
  /// The same, and actions that remove steps from the file, which may be unreadable. Only for formats that locate steps
  /// independently; throws unsupported errors if this cannot be done in place.
  [[nodiscard]] virtual Publication drop(std::span<const std::int64_t> numbers);
};

}  // namespace quire
