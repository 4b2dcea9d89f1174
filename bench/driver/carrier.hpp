#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "driver/plan.hpp"
#include "driver/share.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"

namespace quire::bench {

/// As what a case goes into a file of the library.
enum class Carrier : std::uint8_t { table, fields, expansion, streams };

/// Independent. What the registry says that the format can hold of the case: tables as tables, fields as fields,
/// elements as expansions; all of them as the streams of ranks. Throws unsupported errors.
[[nodiscard]] Carrier carrier_of(const Case& data, const Format& format, const CheckedOptions& options);

/// Independent. The formats and transports of this build: which kinds of workloads each format can hold, and options
/// for each kind of file that it writes.
[[nodiscard]] Json list_methods();

/// Independent. In which order the values must stand in memory for put_case().
[[nodiscard]] ShareMemory::Order order_for(Carrier carrier);

/// Independent. What a step is like that holds the case as tables or fields; nothing for other carriers.
[[nodiscard]] StepDescription describe_case(const Case& data, Carrier carrier);

/// Independent. Puts this rank's values into a step; `layout` keeps what the ranks have agreed on for the next steps.
void put_case(WriteStep& step, const Comm& comm, Carrier carrier, const ShareMemory& source,
              const ElementLayout& layout);

/// By which calls ranks read tables and fields.
enum class Transfers : std::uint8_t { independent, collective };

/// Independent. Those that measure a transport of this name.
[[nodiscard]] Transfers transfers_of(std::string_view transport);

/// Where what a rank reads of one step goes to.
class Landing {
 public:
  virtual ~Landing() = default;
  /// Collective. Moves memory of columns to the place in its page that they have in the file.
  virtual void align(const ReadStep& /*step*/) {}
  /// Collective.
  virtual void read(const ReadStep& step, Transfers transfers) = 0;
  /// Independent. Throws bad_file errors unless read() has found what was written.
  virtual void check() = 0;
  /// Collective. Puts what was read into a step that is written. Throws unsupported errors for streams, which belong to
  /// the ranks that wrote them.
  virtual void put(WriteStep& step, Comm& comm) = 0;
};

/// Independent. For what rank `rank` of `size` reads in a cell's operation.
[[nodiscard]] std::unique_ptr<Landing> make_landing(Carrier carrier, const Cell& cell, int rank, int size);

}  // namespace quire::bench
