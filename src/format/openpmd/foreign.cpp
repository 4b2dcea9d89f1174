#include "format/openpmd/foreign.hpp"

#include <algorithm>
#include <string_view>

#include "quire/base/error.hpp"

namespace quire {
namespace {

constexpr std::string_view index_name = "md.idx";

std::string_view text_of(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

bool is_adios(std::span<const std::byte> head) { return text_of(head).starts_with("ADIOS-BP"); }

bool may_be_json(std::span<const std::byte> head) { return text_of(head).starts_with('{'); }

bool is_json(std::span<const std::byte> head) {
  return may_be_json(head) && text_of(head).find("\"__openPMD_internal\"") != std::string_view::npos;
}

}  // namespace

bool is_foreign_openpmd(std::span<const std::byte> head) { return is_adios(head) || is_json(head); }

std::vector<std::byte> foreign_head(ByteSource& bytes) {
  std::vector<std::byte> head(16);
  head.resize(bytes.read(0, head));
  if (may_be_json(head)) {
    head.resize(std::size_t{1} << 16);
    head.resize(bytes.read(0, head));
  }
  return head;
}

std::string adios_index(std::span<const std::string> names) {
  const bool has_index = std::ranges::find(names, index_name) != names.end();
  const bool has_data = std::ranges::any_of(names, [](const std::string& name) { return name.starts_with("data."); });
  return has_index && has_data ? std::string(index_name) : std::string();
}

void refuse_foreign_openpmd(ByteSource& bytes, const std::string& path) {
  const std::vector<std::byte> head = foreign_head(bytes);
  if (!is_foreign_openpmd(head)) return;
  const std::string container = is_adios(head) ? "ADIOS2 (BP)" : "JSON";
  throw Error(ErrorKind::unsupported, "this is an openPMD series in " + container + ", which is not read")
      .in_file(path)
      .advise("copy it to HDF5 with the tool of openPMD-api: openpmd-pipe --infile SERIES --outfile SERIES.h5");
}

}  // namespace quire
