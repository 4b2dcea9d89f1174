#include "api/read/step_numbers.hpp"

#include <algorithm>
#include <ranges>

namespace quire {
namespace {

constexpr std::size_t shown = 3;  ///< of the nearest numbers

}  // namespace

std::vector<std::int64_t> some_numbers(Describer& describer, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t steps = describer.steps();
  first = std::min(first, steps);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::min(count, steps - first)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = describer.step_number(first + i);
  return numbers;
}

FoundNumber find_number(Describer& describer, std::int64_t number) {
  const auto places = std::views::iota(std::uint64_t{0}, describer.steps());
  const auto number_at = [&](std::uint64_t place) { return describer.step_number(place); };
  const auto found = std::ranges::lower_bound(places, number, {}, number_at);
  const std::uint64_t place = found == places.end() ? places.size() : *found;
  if (found != places.end() && number_at(place) == number) return {.index = place};
  const std::uint64_t first = place - std::min<std::uint64_t>(place, shown);
  return {.neighbours = some_numbers(describer, first, 2 * shown)};
}

std::string nearest_numbers(std::vector<std::int64_t> numbers, std::int64_t wanted) {
  const auto distance = [&](std::int64_t number) {
    const auto big = static_cast<std::uint64_t>(std::max(number, wanted));
    return big - static_cast<std::uint64_t>(std::min(number, wanted));
  };
  std::ranges::stable_sort(numbers, {}, distance);
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, numbers.size()); ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return list.empty() ? "the file has no steps" : "the nearest are " + list;
}

}  // namespace quire
