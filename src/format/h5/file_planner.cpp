#include "format/h5/file_planner.hpp"

#include <bit>
#include <filesystem>
#include <utility>

#include "format/h5/open_file.hpp"

namespace quire::h5 {

std::vector<Option> with_split(std::vector<Option> options) {
  options.push_back({"split",
                     OptionKind::truth,
                     "false",
                     {},
                     "of a new file only metadata go to NAME-m.h5, raw data to NAME-r.h5 (HDF5's split driver)"});
  return options;
}

FilePlanner::FilePlanner(const CheckedOptions& options, EngineSettings engine)
    : engine_(std::move(engine)), writer_(engine_.version, options.truth("split")) {
  require_alignment();
}

void FilePlanner::require_alignment() const {
  if (!writer_.split() || std::has_single_bit(engine_.alignment.multiple)) return;
  throw Error(ErrorKind::usage, "the alignment of a split file must be a power of two").on("alignment");
}

void FilePlanner::introduce(const DescribeContext& context) {
  context_ = context;
  const bool is_new = context.member == nullptr;
  if (is_new && writer_.split()) {
    writer_.split()->require_name(std::filesystem::path(context.path).filename().string());
  }
}

Publication FilePlanner::take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look) {
  return writer_.take_over(std::move(existing), context_, [&](hid_t file) {
    require_alignment();
    if (writer_.split() && engine_.is_phdf5) {
      throw Error(ErrorKind::unsupported, "parallel HDF5 does not write files that are split")
          .on("engine")
          .advise("engine=direct");
    }
    look(file);
  });
}

std::vector<std::byte> FilePlanner::owner_of_raw_data() {
  return writer_.split() && writer_.published_end() == 0 ? writer_.empty_file() : std::vector<std::byte>();
}

WritePlan FilePlanner::guard(const StepPart& /*mine*/) {
  WritePlan plan;
  plan.add(0, owner_of_raw_data());
  return plan;
}

std::uint64_t FilePlanner::data_begin() const {
  return writer_.split() ? writer_.first_free() : writer_.published_end();
}

std::string FilePlanner::member_name(const std::string& first, std::uint64_t member) const {
  if (!writer_.split() || member > 1) return {};
  return member == 0 ? first : writer_.split()->raw_name_beside(first).value_or("");
}

bool FilePlanner::is_member(const std::string& first, std::string_view name) const {
  return has_usual_names(first, name);
}

}  // namespace quire::h5
