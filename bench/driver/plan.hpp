#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/json.hpp"
#include "quire/model/type.hpp"

namespace quire::bench {

/// What is written and read: the data of one case, the same in every step. Which fields count depends on the kind.
struct Case {
  enum class Kind : std::uint8_t { table, field, elements };
  enum class Content : std::uint8_t { random, smooth, constant };

  std::string name;
  Kind kind = Kind::table;
  std::uint64_t steps = 1;
  Content content = Content::random;
  std::string imbalance = "even";
  std::vector<std::uint64_t> shares{};      ///< with the imbalance "given": what each rank has, on as many ranks
  std::string distribution = "contiguous";  ///< of elements; else "random"
  std::uint64_t seed = 1;
  std::uint64_t compute = 0;  ///< how often a rank computes with as many bytes as it writes, before each step

  std::uint64_t rows = 0;     ///< of a table
  std::vector<Type> columns;  ///< of a table
  std::uint64_t subset = 1;   ///< of a table: the columns that a subset has

  std::vector<std::uint64_t> extents;  ///< of a field, slowest first
  std::uint64_t components = 1;        ///< of each field
  std::uint64_t fields = 1;
  std::string decomposition = "row";

  std::uint64_t elements = 0;
  std::uint64_t variables = 1;
  std::vector<std::uint64_t> modes;  ///< element e has modes[e mod size] in each direction

  /// Throws usage errors that name what is missing or wrong.
  [[nodiscard]] static Case of(const Json& given);
};

/// One way to move the data.
struct CellMethod {
  std::string name;
  std::string engine = "library";
  std::string format;
  std::string transport = "posix";
  std::string transfer = "independent";
  bool is_aligned = false;  ///< memory for what is read has the place in its page that the data have in the file
  std::map<std::string, std::string, std::less<>> options;

  [[nodiscard]] static CellMethod of(const Json& given);
};

/// A planted defect: the program must show that it would notice a real one.
struct Fault {
  enum class Kind : std::uint8_t { none, sleep, lie, spoil };
  Kind kind = Kind::none;
  double seconds = 0;
  std::optional<int> rank;  ///< who sleeps; nothing: everybody
};

/// One measurement that a plan asks for.
struct Cell {
  std::string id;
  CellMethod method;
  std::optional<CellMethod> to;     ///< what a conversion writes
  std::optional<CellMethod> maker;  ///< what wrote the file that is read, unless `method` did
  std::string operation;
  Case data;
  int ranks = 1;     ///< that write
  int readers = 1;   ///< that read, or convert
  double files = 1;  ///< that it makes at most
  std::string cache = "none";
  bool measures_memory = false;  ///< the peak of memory beyond that of the data
  Fault fault;
  Json given;  ///< as in the plan

  [[nodiscard]] static Cell of(const Json& given);
  [[nodiscard]] bool writes() const { return operation == "write" || operation == "rewrite"; }
  /// What identifies the file of this cell: the method that writes it, its data and the ranks that wrote it.
  [[nodiscard]] std::string file_key() const;
  /// The ranks that the clock looks at.
  [[nodiscard]] int active() const {
    return writes() || operation == "read" || operation == "read-subset" ? ranks : readers;
  }
};

/// Some cells of a plan, in the order in which they run.
struct CellPass {
  Json number;
  std::vector<std::size_t> cells;  ///< their places in the plan
};

/// What one launch runs: all cells once, or in several passes, of which the first one does not count.
struct CellPlan {
  struct Limits {
    std::optional<double> bytes;
    std::optional<double> files;
    std::optional<double> seconds;
  };
  std::uint64_t seed = 0;
  Json mode;
  Json day;
  Limits limits;
  std::vector<Cell> cells;
  std::vector<CellPass> passes;

  [[nodiscard]] bool is_repeated() const noexcept { return passes.size() > 1; }
  /// Throws usage errors for a text that is no such plan.
  [[nodiscard]] static CellPlan of(const std::string& text);
};

}  // namespace quire::bench
