#include "api/write/remarks.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/root.hpp"
#include "quire/format/format.hpp"

namespace quire {
namespace {

/// Adds a sentence for each property of a file and a step that the format loses, except those that it always loses.
void remark(Writer::State& writer, const FileDescription& file, const StepDescription& step) {
  const Format& format = format_named(writer.file.format);
  FileDescription bare;
  bare.format = file.format;
  const std::vector<Change> of_any = format.fit_with_presets(bare, {}).changes;
  std::unordered_set<std::string> known(writer.remarks.begin(), writer.remarks.end());
  for (const Change& change : format.fit_with_presets(file, step).changes) {
    if (change.kind == ChangeKind::added || std::ranges::find(of_any, change) != of_any.end()) continue;
    std::string remark = sentence(change);
    if (known.insert(remark).second) writer.remarks.push_back(std::move(remark));
  }
}

}  // namespace

void remark_on_file(Writer::State& writer) {
  if (!writer.comm.is_root()) return;
  // Remarks are optional: without them the file is written all the same.
  static_cast<void>(caught([&] { remark(writer, writer.file, {}); }));
}

void remark_on_attributes(Writer::State& writer, const StepDescription& step) {
  if (!writer.comm.is_root()) return;
  static_cast<void>(caught([&] {
    StepDescription fresh;
    for (const Attribute& attribute : step.attributes) {
      const bool is_array = !attribute.value.shape().empty();
      const std::string kind = std::to_string(static_cast<int>(attribute.type)) + (is_array ? "[]" : "");
      if (writer.remarked.insert(kind + attribute.name).second) fresh.attributes.push_back(attribute);
    }
    if (fresh.attributes.empty()) return;
    FileDescription bare;
    bare.format = writer.file.format;
    remark(writer, bare, fresh);
  }));
}

void remark_on_number(Writer::State& writer, std::int64_t number) {
  if (!writer.comm.is_root() || number == 0 || !format_named(writer.file.format).holds_one_step) return;
  static_cast<void>(caught([&] {
    FileDescription bare;
    bare.format = writer.file.format;
    StepDescription step;
    step.number = number;
    remark(writer, bare, step);
  }));
}

}  // namespace quire
