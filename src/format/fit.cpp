#include "quire/spi/format/fit.hpp"

#include <algorithm>
#include <utility>

#include "quire/model/type.hpp"

namespace quire {

std::string_view name(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::lost:
      return "lost";
    case ChangeKind::renamed:
      return "renamed";
    case ChangeKind::reshaped:
      return "reshaped";
    case ChangeKind::added:
      return "added";
  }
  return {};
}

std::string sentence(const Change& change) {
  if (change.object.empty()) return change.what;
  // The name of an "attribute of the file" follows the first word.
  const std::size_t of = std::min(change.object.find(" of "), change.object.size());
  std::string subject = change.object.substr(0, of);
  if (!change.name.empty()) subject += " " + change.name;
  if (!change.now.empty()) subject += " (now " + change.now + ")";
  return subject + change.object.substr(of) + ": " + change.what;
}

void Fit::lose(std::string object, std::string name, std::string what) {
  changes.push_back({ChangeKind::lost, std::move(object), std::move(name), {}, std::move(what)});
}

void Fit::retype(std::string object, std::string name, Type before, Type after) {
  if (before == after) return;
  const ChangeKind kind = converts_without_loss(before, after) ? ChangeKind::reshaped : ChangeKind::lost;
  changes.push_back({kind,
                     std::move(object),
                     std::move(name),
                     {},
                     "type " + std::string(quire::name(before)) + " becomes " + std::string(quire::name(after))});
}

Fit fit_without_expansions(const StepDescription& step, const std::function<Fit(const StepDescription&)>& fit) {
  StepDescription plain = step;
  std::vector<Change> lost;
  for (Table& table : plain.tables) {
    if (!table.expansion) continue;
    lost.push_back({ChangeKind::lost,
                    "table",
                    table.name,
                    {},
                    "the bases, numbers of modes and planes of its coefficients are left out"});
    table.expansion.reset();
  }
  Fit fitted = fit(plain);
  fitted.changes.insert(fitted.changes.begin(), lost.begin(), lost.end());
  return fitted;
}

}  // namespace quire
