#include "query/row_calls.hpp"

#include <algorithm>
#include <array>

#include "query/normal_form.hpp"

namespace quire::query {
namespace {

struct RowFunction {
  std::string_view name;
  std::size_t fewest = 1;
  std::size_t most = 1;
};

constexpr std::size_t most_calls = 100;  // in one expression
constexpr std::array<RowFunction, 21> functions_of_rows{{
    {"all"},    {"any"},     {"at_max", 2, 2}, {"at_min", 2, 2}, {"count"}, {"cummax"},    {"cummin"},
    {"cumsum"}, {"cumprod"}, {"diff", 1, 2},   {"first"},        {"last"},  {"lag", 1, 3}, {"lead", 1, 3},
    {"max"},    {"mean"},    {"median"},       {"min"},          {"rms"},   {"std"},       {"sum"},
}};

const RowFunction* find(const Node& node) {
  if (node.kind != Kind::call) return nullptr;
  const auto* const found = std::ranges::find(functions_of_rows, node.text, &RowFunction::name);
  if (found == functions_of_rows.end()) return nullptr;
  const bool is_of_one_row = (node.text == "min" || node.text == "max") && node.operands.size() != 1;
  return is_of_one_row ? nullptr : found;
}

void expect_arguments(const Syntax& syntax, const Node& node, const RowFunction& function) {
  const std::size_t count = node.operands.size();
  if (function.fewest <= count && count <= function.most) return;
  const std::string wanted = function.fewest == function.most
                                 ? std::to_string(function.fewest)
                                 : std::to_string(function.fewest) + " to " + std::to_string(function.most);
  throw error_at(ErrorKind::usage, syntax.text, node.position, node.length,
                 node.text + " takes " + wanted + (function.most == 1 ? " argument" : " arguments") + ", not " +
                     std::to_string(count));
}

void collect(const Syntax& syntax, std::uint32_t index, std::vector<std::uint32_t>& found) {
  const Node& node = syntax.nodes[index];
  if (const RowFunction* const function = find(node); function != nullptr) {
    expect_arguments(syntax, node, *function);
    const std::string text = normal_form(syntax, index);
    const bool is_known =
        std::ranges::any_of(found, [&](std::uint32_t one) { return normal_form(syntax, one) == text; });
    if (!is_known) found.push_back(index);
    if (found.size() > most_calls) {
      throw error_at(ErrorKind::usage, syntax.text, node.position, node.length,
                     "an expression has at most " + std::to_string(most_calls) + " different calls over rows");
    }
    return;
  }
  for (const std::uint32_t operand : node.operands) collect(syntax, operand, found);
}

}  // namespace

bool is_row_call(const Node& node) { return find(node) != nullptr; }

std::vector<std::uint32_t> row_calls(const Syntax& syntax) {
  std::vector<std::uint32_t> found;
  collect(syntax, syntax.root, found);
  return found;
}

std::vector<std::string> row_functions() {
  std::vector<std::string> names;
  for (const RowFunction& one : functions_of_rows) names.emplace_back(one.name);
  return names;
}

}  // namespace quire::query
