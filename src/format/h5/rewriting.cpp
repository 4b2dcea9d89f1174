#include "format/h5/rewriting.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "format/h5/attributes.hpp"
#include "format/h5/hdf5.hpp"
#include "format/h5/links.hpp"
#include "format/h5/names.hpp"

namespace quire::h5 {
namespace {

/// How the step of the same prefix and number is called in the file.
Link old_step(hid_t file, const std::string& name) {
  const auto wanted = parse_step_name(name);
  for (Link& link : list_links(file, "/")) {
    const auto found = parse_step_name(link.name);
    if (found && wanted && found->prefix == wanted->prefix && found->number == wanted->number) return std::move(link);
  }
  throw Error(ErrorKind::internal, "the step to be written over is gone").on(name);
}

void move(hid_t from, const std::string& name, hid_t to, const std::string& new_name) {
  require(H5Lmove(from, name.c_str(), to, new_name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "move the link", name);
}

bool has_link(hid_t group, const std::string& name) {
  return require(H5Lexists(group, name.c_str(), H5P_DEFAULT), "look for the link", name) > 0;
}

/// What something is called until it is dropped: a name that nobody has.
std::string name_aside(hid_t group, const std::string& name) {
  std::string aside = name + " (aside)";
  for (unsigned i = 2; has_link(group, aside); ++i) aside = name + " (aside " + std::to_string(i) + ")";
  return aside;
}

[[noreturn]] void refuse(const std::string& what, const std::string& name) {
  throw Error(ErrorKind::conflict, "the step has " + what + " of this name already")
      .on(name)
      .advise("choose another name, or write with the option existing=overwrite");
}

/// The length of a column, or nothing for what is none.
std::optional<std::uint64_t> rows_of(hid_t group, const std::string& name) {
  const Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT));
  const Handle space(dataset ? H5Dget_space(dataset.id()) : H5I_INVALID_HID);
  hsize_t extent = 0;
  if (!space || H5Sget_simple_extent_ndims(space.id()) != 1) return std::nullopt;
  require(H5Sget_simple_extent_dims(space.id(), &extent, nullptr), "read the shape", name);
  return extent;
}

/// That columns which stay and columns which come have one length.
void check_rows(hid_t old_group, const StepDescription& step, std::uint64_t rows) {
  if (step.tables.empty()) return;
  const std::vector<Column>& columns = step.tables.front().columns;
  for (const Link& link : list_links(old_group, "step")) {
    if (std::ranges::find(columns, link.name, &Column::name) != columns.end()) continue;
    const auto length = rows_of(old_group, link.name);
    if (!length || *length == rows) continue;
    throw Error(ErrorKind::conflict, "the column has " + std::to_string(*length) +
                                         " rows, the new columns of its step " + std::to_string(rows))
        .on(link.name);
  }
}

bool is_group(hid_t group, const std::string& name) {
  const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT));
  return object && H5Iget_type(object.id()) == H5I_GROUP;
}

/// Moves what is in one group into another: what both have is replaced, or refused; of the fields' group the members.
/// The paths of what is replaced go to `replaced`.
void merge(hid_t from, hid_t to, bool overwrite, const std::string& path, bool is_step,
           std::vector<std::string>& replaced) {
  for (const Link& link : list_links(from, "step")) {
    if (!has_link(to, link.name)) {
      move(from, link.name, to, link.name);
      continue;
    }
    if (is_step && link.name == block_name && is_group(to, link.name)) {
      const Handle new_block = own(H5Gopen2(from, link.name.c_str(), H5P_DEFAULT), "open the fields");
      const Handle old_block = own(H5Gopen2(to, link.name.c_str(), H5P_DEFAULT), "open the fields");
      merge(new_block.id(), old_block.id(), overwrite, path + link.name + "/", false, replaced);
      continue;
    }
    if (!overwrite) refuse(is_step ? "a column" : "a field", link.name);
    const std::string kept = name_aside(to, link.name);
    move(to, link.name, to, kept);
    move(from, link.name, to, link.name);
    replaced.push_back(path + kept);
  }
}

void add_attributes(hid_t group, const StepDescription& step, bool overwrite) {
  for (const Attribute& attribute : step.attributes) {
    const bool exists = require(H5Aexists(group, attribute.name.c_str()), "look for an attribute", attribute.name) > 0;
    if (exists && !overwrite) refuse("an attribute", attribute.name);
    write_attribute(group, attribute.name, attribute.value);
  }
}

}  // namespace

Existing existing_option(const CheckedOptions& options) {
  constexpr std::array<std::pair<std::string_view, Existing>, 4> words{{{"refuse", Existing::refuse},
                                                                        {"replace", Existing::replace},
                                                                        {"add", Existing::add},
                                                                        {"overwrite", Existing::overwrite}}};
  const std::string given = options.text("existing");
  for (const auto& [word, mode] : words) {
    if (given == word) return mode;
  }
  throw Error(ErrorKind::usage, "steps that exist are refused, replaced, added to or overwritten")
      .on("existing")
      .advise("give refuse, replace, add or overwrite");
}

std::vector<std::string> write_over(hid_t file, const std::string& name, const StepDescription& step,
                                    std::uint64_t rows, Existing mode,
                                    const std::function<void(const std::string& name)>& write) {
  if (mode == Existing::refuse) {
    write(name);
    return {};
  }
  const Link old = old_step(file, name);
  const std::string spare = name_aside(file, old.name);
  if (mode == Existing::replace) {
    move(file, old.name, file, spare);
    write(old.name);
    return {spare};
  }
  if (old.type != H5L_TYPE_HARD) {
    throw Error(ErrorKind::unsupported, "the step stands in another file, which is not written to").on(old.name);
  }
  const Handle group = own(H5Gopen2(file, old.name.c_str(), H5P_DEFAULT), "open the step", old.name);
  check_rows(group.id(), step, rows);
  write(spare);
  const Handle made = own(H5Gopen2(file, spare.c_str(), H5P_DEFAULT), "open the new step", spare);
  add_attributes(group.id(), step, mode == Existing::overwrite);
  std::vector<std::string> replaced;
  merge(made.id(), group.id(), mode == Existing::overwrite, old.name + "/", true, replaced);
  replaced.push_back(spare);
  return replaced;
}

}  // namespace quire::h5
