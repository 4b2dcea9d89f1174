#include "format/hdf5/library/layout_marks.hpp"

#include <algorithm>
#include <charconv>

namespace quire::hdf5 {
namespace {

/// The part of a path before its first slash, and the rest after it.
struct Parts {
  std::string_view first;
  std::string_view rest;  ///< empty for an object of the root

  explicit Parts(std::string_view path)
      : first(path.substr(0, path.find('/'))),
        rest(first.size() < path.size() ? path.substr(first.size() + 1) : std::string_view()) {}
};

}  // namespace

std::optional<StepName> parse_step_name(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  StepName step{.prefix = name.substr(0, mark), .digits = name.substr(mark + 1)};
  const char* end = step.digits.data() + step.digits.size();
  const auto result = std::from_chars(step.digits.data(), end, step.number);
  if (step.digits.empty() || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return step;
}

std::string mark_of_path(std::string_view path) {
  const Parts parts(path);
  const auto reads_as = [&](const char* what) {
    return "an HDF5 file with an object of this name is read as " + std::string(what);
  };
  if (parts.first == marks::nektar) return reads_as("one of Nektar++");
  // Datasets of the root may have the names of groups.
  if (parts.rest.empty()) return {};
  if (parse_step_name(parts.first)) return reads_as("one of H5Part: its group is a step");
  const std::string_view kind = Parts(parts.rest).first;
  const bool is_mesh = parts.first == marks::meshes &&
                       std::ranges::any_of(marks::mesh_kinds, [&](const char* known) { return kind == known; });
  return is_mesh ? reads_as("one of H5Part: its group has the meshes") : std::string();
}

std::string mark_of_attribute(std::string_view name) {
  return name == marks::openpmd ? "an HDF5 file with an attribute of this name is read as one of openPMD" : "";
}

bool may_be_attachment(std::string_view path, Type type) {
  const Parts parts(path);
  const bool is_there =
      parts.first == marks::attachments && !parts.rest.empty() && parts.rest.find('/') == std::string_view::npos;
  return is_there && (type == Type::int8 || type == Type::uint8);
}

}  // namespace quire::hdf5
