#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "quire/spi/api/workload.hpp"
#include "support/sample.hpp"

namespace quire::test {

/// The contents of a generated workload.
enum class Holding { tables, elements, streams };

/// A small generated workload for any number of ranks.
struct NamedWorkload {
  std::string name;
  Holding holding = Holding::tables;
  std::function<Workload(int ranks)> make;
};

/// Tables, fields in every decomposition, elements, streams: sizes that are not multiples of the number of ranks, and
/// some with fewer rows than ranks.
[[nodiscard]] const std::vector<NamedWorkload>& workloads();
[[nodiscard]] const NamedWorkload& workload_named(const std::string& name);
/// Whether a format can hold it.
[[nodiscard]] bool fits(const NamedWorkload& workload, const Format& format);

/// Every kind of file of every format of tables or elements.
[[nodiscard]] std::vector<Variant> variants_without_streams();
/// The presets of a format that holds each workload, and some more.
[[nodiscard]] std::vector<std::tuple<std::string, Variant>> million_cases();

}  // namespace quire::test
