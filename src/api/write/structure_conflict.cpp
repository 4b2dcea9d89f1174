#include <algorithm>
#include <string>
#include <vector>

#include "api/root.hpp"
#include "api/write/step_state.hpp"
#include "api/write/whole_tables.hpp"
#include "base/attempts.hpp"
#include "comm/agreement.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

/// The data that must be the same on every rank.
struct Common {
  FileDescription file;
  StepDescription step;
  std::vector<std::uint8_t> choices{};       ///< for each table whether its rows are chosen
  std::vector<std::uint8_t> declarations{};  ///< for each field whether it is put in parts
  std::vector<Attribute> constants{};        ///< those that are columns of the step
  template <class Archive>
  void archive(Archive& a) {
    a(file, step, choices, declarations, constants);
  }
};

std::vector<std::uint8_t> declarations_of(const StepPart& part) {
  std::vector<std::uint8_t> declarations;
  for (const FieldPart& field : part.fields) declarations.push_back(field.declared ? 1 : 0);
  return declarations;
}

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
    // By their bytes: a NaN equals itself.
    if (pack(mine[i]) != pack(root[i])) return conflict(mine[i], "its value differs from that on rank 0");
  }
  return std::nullopt;
}

Error conflict(const std::string& object, const std::string& text, const std::string& advice) {
  return Error(ErrorKind::conflict, text).on(object).advise(advice);
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// The difference of two objects of the same name, in words: here and on rank 0.
std::string difference(const Quantity& here, const Quantity& there) {
  const auto is = [](const std::string& what, const std::string& mine, const std::string& root) {
    return what + " is " + mine + " here, " + root + " on rank 0";
  };
  if (here.type != there.type) return is("its type", std::string(name(here.type)), std::string(name(there.type)));
  if (here.unit != there.unit) return is("its unit", quoted(here.unit), quoted(there.unit));
  if (here.symbol != there.symbol) return is("its symbol", quoted(here.symbol), quoted(there.symbol));
  if (here.description != there.description) {
    return is("its description", quoted(here.description), quoted(there.description));
  }
  return "its texts differ from those on rank 0";
}

std::string difference(const Attribute& here, const Attribute& there) {
  const Quantity& mine = here;
  const Quantity& root = there;
  return mine != root ? difference(mine, root) : "its value differs from that on rank 0";
}

std::string shown(const std::vector<std::uint64_t>& extents) {
  std::string text;
  for (const std::uint64_t extent : extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "a single element" : text;
}

std::string difference(const Field& here, const Field& there) {
  if (here.extents != there.extents) {
    return "the field has " + shown(here.extents) + " elements here, " + shown(there.extents) + " on rank 0";
  }
  if (here.components != there.components) {
    return "the field has " + std::to_string(here.components) + " components here, " +
           std::to_string(there.components) + " on rank 0";
  }
  const Quantity& mine = here;
  const Quantity& root = there;
  if (mine != root) return difference(mine, root);
  if (here.group != there.group) {
    return "its group is " + quoted(here.group) + " here, " + quoted(there.group) + " on rank 0";
  }
  return pack(here.geometry) != pack(there.geometry) ? "its geometry differs from that on rank 0"
                                                     : "its attributes differ from those on rank 0";
}

/// The same for objects that every rank puts in one order: columns, constants, fields.
template <class Item>
std::optional<Error> difference(const std::vector<Item>& mine, const std::vector<Item>& root, const std::string& kind,
                                const std::string& advice) {
  for (std::size_t i = 0; i < std::max(mine.size(), root.size()); ++i) {
    if (i >= mine.size()) return conflict(root[i].name, "the " + kind + " is missing on this rank", advice);
    if (i >= root.size()) return conflict(mine[i].name, "the " + kind + " is missing on rank 0", advice);
    if (mine[i].name != root[i].name) {
      return conflict(mine[i].name, "rank 0 puts " + quoted(root[i].name) + " in this place", advice);
    }
    // By their bytes: a NaN equals itself.
    if (pack(mine[i]) != pack(root[i])) return conflict(mine[i].name, difference(mine[i], root[i]), advice);
  }
  return std::nullopt;
}

/// How this rank's step differs from rank 0's, in words.
std::optional<Error> difference(const StepDescription& mine, const StepDescription& root) {
  if (mine.number != root.number) {
    return conflict("step " + std::to_string(mine.number), "rank 0 writes step " + std::to_string(root.number),
                    "every rank gives a step the same number");
  }
  const std::string advice = "every rank puts the same columns, also without rows";
  for (std::size_t t = 0; t < std::max(mine.tables.size(), root.tables.size()); ++t) {
    if (t >= mine.tables.size()) return conflict(root.tables[t].name, "the table is missing on this rank", advice);
    if (t >= root.tables.size()) return conflict(mine.tables[t].name, "the table is missing on rank 0", advice);
    if (mine.tables[t].name != root.tables[t].name || mine.tables[t].expansion != root.tables[t].expansion) {
      return conflict(mine.tables[t].name, "rank 0 has another table, or another expansion, in this place", advice);
    }
    if (auto error = difference(mine.tables[t].columns, root.tables[t].columns, "column", advice)) return error;
    if (auto error = difference(mine.tables[t].constants, root.tables[t].constants, "constant", advice)) return error;
  }
  if (auto error = difference(mine.fields, root.fields, "field",
                              "every rank puts the same fields of the same extents, also without elements")) {
    return error;
  }
  return difference(mine.attributes, root.attributes);
}

/// The difference in how this rank puts fields that are otherwise the same.
std::optional<Error> difference(const std::vector<Field>& fields, const std::vector<std::uint8_t>& mine,
                                const std::vector<std::uint8_t>& root) {
  for (std::size_t f = 0; f < std::min(mine.size(), root.size()); ++f) {
    if (mine[f] == root[f]) continue;
    return conflict(fields[f].name,
                    mine[f] != 0 ? "the field is declared here, but put on rank 0"
                                 : "the field is put here, but declared on rank 0",
                    "every rank declares a field, also without elements, or none does");
  }
  return std::nullopt;
}

std::optional<Error> difference(const FileDescription& mine, const FileDescription& root) {
  if (mine.title != root.title || mine.contents != root.contents) {
    return Error(ErrorKind::conflict, "title or contents of the file differ from those on rank 0");
  }
  if (mine.declared.has_value() != root.declared.has_value()) {
    return Error(ErrorKind::conflict, "the structure of steps is declared on this rank or on rank 0, but not on both");
  }
  if (mine.declared) {
    if (auto error = difference(*mine.declared, *root.declared)) return error;
  }
  return difference(mine.attributes, root.attributes);
}

}  // namespace

[[noreturn]] void fail_for_structure(WriteStep::State& step) {
  Comm& comm = step.writer->comm;
  const FileDescription& file = step.writer->file;
  const Common mine{file, step.accepted, choices_of(*step.part), declarations_of(*step.part), step.builder.spread()};
  const auto root = unpack<Common>(from_root(comm, [&] { return pack(mine); }));
  fail_together(step, caught(comm.rank(), [&] {
                  if (const auto error = difference(step.accepted, root.step)) throw *error;
                  if (const auto error = choice_conflict(step.accepted, mine.choices, root.choices)) throw *error;
                  if (const auto error = difference(step.accepted.fields, mine.declarations, root.declarations)) {
                    throw *error;
                  }
                  if (const auto error =
                          difference(mine.constants, root.constants, "constant", "every rank passes the same value")) {
                    throw *error;
                  }
                  if (const auto error = difference(file, root.file)) throw *error;
                }));
}

void fail_for_file(Writer::State& writer) {
  const auto root = unpack<FileDescription>(from_root(writer.comm, [&] { return pack(writer.file); }));
  agree(writer.comm, caught(writer.comm.rank(), [&] {
          const auto error = difference(writer.file, root);
          if (!error) return;
          throw writer.placed(
              Error(error->kind(), error->message() + "; values set since the last commit are not in the file")
                  .on(error->object())
                  .advise(error->advice()));
        }));
}

}  // namespace quire
