#include "driver/plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string_view>

#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::usage, "the plan: " + what); }

/// A word out of a list, or a usage error.
template <std::size_t count>
std::size_t one_of(const std::string& what, const std::string& word, const std::array<std::string_view, count>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) {
    std::string known;
    for (const std::string_view one : words) known += (known.empty() ? "" : ", ") + std::string(one);
    throw Error(ErrorKind::usage, "the plan: there is no " + what + " \"" + word + "\"").advise(known);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::map<std::string, std::string, std::less<>> options_of(const Json& given) {
  std::map<std::string, std::string, std::less<>> options;
  for (const auto& [name, value] : given.items()) {
    options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return options;
}

/// Column types from text such as "7xfloat64+1xint32".
std::vector<Type> parse_columns(const std::string& text) {
  std::vector<Type> columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string group = text.substr(at, end - at);
    std::size_t count = 0;
    const auto [stopped, failed] = std::from_chars(group.data(), group.data() + group.size(), count);
    const auto digits = static_cast<std::size_t>(stopped - group.data());
    if (failed != std::errc() || count == 0 || count > 100'000 || group.substr(digits, 1) != "x") {
      throw Error(ErrorKind::usage, "\"" + group + "\" is no group of columns").advise("write 7xfloat64+1xint32");
    }
    const Type type = type_named(group.substr(digits + 1));
    if (size_of(type) == 0) throw Error(ErrorKind::usage, "columns of text are not measured");
    columns.insert(columns.end(), count, type);
    at = end + 1;
  }
  return columns;
}

void read_table(Case& data, const Json& given) {
  data.rows = given.at("rows").get<std::uint64_t>();
  data.columns = parse_columns(given.at("columns").get<std::string>());
  data.subset = given.value("subset", std::uint64_t{1});
  if (data.subset < 1 || data.subset > data.columns.size()) refuse("a subset has some of the columns");
}

void read_field(Case& data, const Json& given) {
  constexpr std::array<std::string_view, 5> ways{"row", "column", "pattern", "chunk", "block3d"};
  data.extents = given.at("extents").get<std::vector<std::uint64_t>>();
  data.components = given.value("components", std::uint64_t{1});
  data.fields = given.value("fields", std::uint64_t{1});
  data.decomposition = given.value("decomposition", std::string("row"));
  one_of("decomposition", data.decomposition, ways);
  if (data.extents.empty() || data.components == 0 || data.fields == 0) refuse("a field without elements");
}

void read_elements(Case& data, const Json& given) {
  data.elements = given.at("elements").get<std::uint64_t>();
  data.variables = given.value("variables", std::uint64_t{1});
  data.modes = given.at("modes").get<std::vector<std::uint64_t>>();
  const auto is_too_small = [](std::uint64_t modes) { return modes < 1 || modes > 100; };
  if (data.modes.empty() || std::ranges::any_of(data.modes, is_too_small)) refuse("elements have 1 to 100 modes");
  if (data.elements >= 1ULL << 32) refuse("elements are numbered by 32 bits");
}

Fault fault_of(const Json& given) {
  constexpr std::array<std::string_view, 4> kinds{"none", "sleep", "lie", "spoil"};
  Fault fault;
  if (given.is_null()) return fault;
  fault.kind = static_cast<Fault::Kind>(one_of("fault", given.at("kind").get<std::string>(), kinds));
  fault.seconds = given.value("seconds", 0.0);
  if (given.contains("rank") && !given.at("rank").is_null()) fault.rank = given.at("rank").get<int>();
  return fault;
}

std::optional<double> limit_of(const Json& limits, const char* name) {
  if (!limits.contains(name) || limits.at(name).is_null()) return std::nullopt;
  return limits.at(name).get<double>();
}

/// Those of the plan, or one of all cells in their order.
std::vector<CellPass> passes_of(const Json& given, std::size_t cells) {
  std::vector<CellPass> passes;
  for (const Json& pass : given.value("passes", Json::array())) {
    passes.push_back({pass.at("pass"), pass.at("cells").get<std::vector<std::size_t>>()});
    const auto is_unknown = [&](std::size_t place) { return place >= cells; };
    if (std::ranges::any_of(passes.back().cells, is_unknown)) refuse("a pass has a cell that is not there");
  }
  if (!passes.empty()) return passes;
  passes.push_back({given.value("pass", Json()), std::vector<std::size_t>(cells)});
  std::iota(passes.back().cells.begin(), passes.back().cells.end(), std::size_t{0});
  return passes;
}

}  // namespace

Case Case::of(const Json& given) {
  constexpr std::array<std::string_view, 3> kinds{"table", "field", "elements"};
  constexpr std::array<std::string_view, 3> contents{"random", "smooth", "constant"};
  constexpr std::array<std::string_view, 5> imbalances{"even", "linear", "lognormal", "last-empty", "given"};
  constexpr std::array<std::string_view, 2> distributions{"contiguous", "random"};
  Case data;
  data.name = given.value("name", std::string("case"));
  data.kind = static_cast<Kind>(one_of("kind of workload", given.at("kind").get<std::string>(), kinds));
  data.content = static_cast<Content>(one_of("content", given.value("content", std::string("random")), contents));
  data.imbalance = given.value("imbalance", std::string("even"));
  one_of("imbalance", data.imbalance, imbalances);
  if (data.imbalance == "given") data.shares = given.at("shares").get<std::vector<std::uint64_t>>();
  data.distribution = given.value("distribution", data.distribution);
  one_of("distribution", data.distribution, distributions);
  data.seed = given.value("seed", std::uint64_t{1});
  data.steps = given.value("steps", std::uint64_t{1});
  if (data.steps == 0) refuse("a workload without steps");
  data.compute = given.value("compute", data.compute);
  if (data.kind == Kind::table) {
    read_table(data, given);
  } else if (data.kind == Kind::field) {
    read_field(data, given);
  } else {
    read_elements(data, given);
  }
  return data;
}

CellMethod CellMethod::of(const Json& given) {
  constexpr std::array<std::string_view, 2> transfers{"independent", "collective"};
  constexpr std::array<std::string_view, 2> memories{"apart", "aligned"};
  CellMethod method;
  method.name = given.value("name", std::string());
  method.engine = given.value("engine", method.engine);
  method.format = given.value("format", std::string());
  method.transport = given.value("transport", method.transport);
  method.transfer = given.value("transfer", method.transfer);
  one_of("transfer", method.transfer, transfers);
  method.is_aligned = one_of("memory", given.value("memory", std::string("apart")), memories) == 1;
  if (given.contains("options") && !given.at("options").is_null()) method.options = options_of(given.at("options"));
  return method;
}

Cell Cell::of(const Json& given) {
  constexpr std::array<std::string_view, 6> operations{"write",      "rewrite",     "read",
                                                       "read-other", "read-subset", "convert"};
  constexpr std::array<std::string_view, 5> caches{"warm", "shifted", "evicted", "direct", "none"};
  Cell cell;
  cell.given = given;
  cell.id = given.at("id").get<std::string>();
  cell.method = CellMethod::of(given.at("method"));
  if (given.contains("to") && !given.at("to").is_null()) cell.to = CellMethod::of(given.at("to"));
  if (given.contains("maker") && !given.at("maker").is_null()) cell.maker = CellMethod::of(given.at("maker"));
  cell.operation = given.at("operation").get<std::string>();
  one_of("operation", cell.operation, operations);
  if ((cell.operation == "convert") != cell.to.has_value()) refuse("a conversion, and nothing else, has a \"to\"");
  cell.data = Case::of(given.at("workload"));
  cell.ranks = given.at("ranks").get<int>();
  const bool has_readers = given.contains("readers") && !given.at("readers").is_null();
  cell.readers = has_readers ? given.at("readers").get<int>() : cell.ranks;
  if (cell.ranks < 1 || cell.readers < 1) refuse("a cell without ranks");
  cell.cache = given.value("cache", cell.cache);
  one_of("state of the cache", cell.cache, caches);
  if (cell.cache == "shifted" && cell.operation != "read" && cell.operation != "read-subset") {
    refuse("only ranks that wrote read shifted");
  }
  if (cell.writes() && cell.maker) refuse("only what reads has a \"maker\"");
  cell.measures_memory = given.value("peak", false);
  cell.files = given.value("files", cell.method.engine == "raw-own" ? 1.0 * cell.ranks : 1.0);
  if (given.contains("fault")) cell.fault = fault_of(given.at("fault"));
  return cell;
}

std::string Cell::file_key() const {
  Json key = given.at(maker ? "maker" : "method");
  key.erase("name");
  key.erase("memory");
  return Json{key, given.at("workload"), ranks}.dump();
}

CellPlan CellPlan::of(const std::string& text) {
  try {
    const Json given = Json::parse(text);
    if (given.value("version", 0) != 1) refuse("only version 1 is known");
    CellPlan plan;
    plan.seed = given.value("seed", std::uint64_t{0});
    plan.mode = given.value("mode", Json("in-process"));
    plan.day = given.value("day", Json());
    const Json limits = given.value("limits", Json::object());
    plan.limits = {limit_of(limits, "bytes"), limit_of(limits, "files"), limit_of(limits, "seconds")};
    for (const Json& cell : given.at("cells")) plan.cells.push_back(Cell::of(cell));
    plan.passes = passes_of(given, plan.cells.size());
    return plan;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::usage, std::string("the plan: ") + error.what());
  }
}

}  // namespace quire::bench
