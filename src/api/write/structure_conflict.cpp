#include <algorithm>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "api/write/writer_state.hpp"
#include "quire/base/archive.hpp"

namespace quire {
namespace {

/// What every rank has to say alike.
struct Common {
  FileDescription file;
  StepDescription step;
  template <class Archive>
  void archive(Archive& a) {
    a(file, step);
  }
};

/// How this rank's attributes differ from rank 0's.
std::optional<Error> difference(const std::vector<Attribute>& mine, const std::vector<Attribute>& root) {
  const auto conflict = [](const Attribute& attribute, const std::string& text) {
    return Error(ErrorKind::conflict, text)
        .on("attribute " + attribute.name)
        .advise("every rank sets the same attributes to the same values; send them from rank 0 first");
  };
  for (std::size_t i = 0; i < std::max(mine.size(), root.size()); ++i) {
    if (i >= mine.size()) return conflict(root[i], "the attribute is missing on this rank");
    if (i >= root.size()) return conflict(mine[i], "the attribute is missing on rank 0");
    if (mine[i].name != root[i].name) return conflict(mine[i], "rank 0 sets " + root[i].name + " in this place");
    // By their bytes: a value that is no number equals itself.
    if (pack(mine[i]) != pack(root[i])) return conflict(mine[i], "its value differs from that on rank 0");
  }
  return std::nullopt;
}

/// How this rank's step differs from rank 0's, in words.
std::optional<Error> difference(const StepDescription& mine, const StepDescription& root) {
  const auto conflict = [](const std::string& object, const std::string& text) {
    return Error(ErrorKind::conflict, text).on(object).advise("every rank puts the same columns, also without rows");
  };
  for (std::size_t t = 0; t < std::max(mine.tables.size(), root.tables.size()); ++t) {
    if (t >= mine.tables.size()) return conflict(root.tables[t].name, "the table is missing on this rank");
    if (t >= root.tables.size()) return conflict(mine.tables[t].name, "the table is missing on rank 0");
    if (mine.tables[t].name != root.tables[t].name || mine.tables[t].expansion != root.tables[t].expansion) {
      return conflict(mine.tables[t].name, "rank 0 has another table, or another expansion, in this place");
    }
    const auto& here = mine.tables[t].columns;
    const auto& there = root.tables[t].columns;
    for (std::size_t c = 0; c < std::max(here.size(), there.size()); ++c) {
      if (c >= here.size()) return conflict(there[c].name, "the column is missing on this rank");
      if (c >= there.size()) return conflict(here[c].name, "the column is missing on rank 0");
      if (here[c].name != there[c].name) {
        return conflict(here[c].name, "rank 0 puts \"" + there[c].name + "\" in this place");
      }
      if (here[c] != there[c]) return conflict(here[c].name, "type, unit or texts differ from those on rank 0");
    }
  }
  if (mine.number != root.number) {
    return conflict("step " + std::to_string(mine.number), "rank 0 writes step " + std::to_string(root.number));
  }
  if (mine.fields != root.fields) return conflict("fields", "the fields differ from those on rank 0");
  return difference(mine.attributes, root.attributes);
}

std::optional<Error> difference(const FileDescription& mine, const FileDescription& root) {
  if (mine.title != root.title || mine.contents != root.contents) {
    return Error(ErrorKind::conflict, "title or contents of the file differ from those on rank 0");
  }
  return difference(mine.attributes, root.attributes);
}

}  // namespace

[[noreturn]] void fail_for_structure(WriteStep::State& step) {
  Comm& comm = step.writer->comm;
  const FileDescription& file = step.writer->file;
  const auto root = unpack<Common>(from_root(comm, [&] { return pack(Common{file, step.accepted}); }));
  fail_together(step, caught(comm.rank(), [&] {
                  if (const auto error = difference(step.accepted, root.step)) throw *error;
                  if (const auto error = difference(file, root.file)) throw *error;
                }));
}

}  // namespace quire
