#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"
#include "support/stream_sample.hpp"

namespace quire::test {

/// Whether a kind of file is written with this value of an option. Options that a format does not have count as unset.
[[nodiscard]] inline bool has(const Variant& variant, const std::string& option, const std::string& value) {
  const auto found = variant.options.find(option);
  return found != variant.options.end() && found->second == value;
}
[[nodiscard]] inline bool is_keyed(const Variant& variant) { return has(variant, "keys", "true"); }
[[nodiscard]] inline bool merges(const Variant& variant) { return has(variant, "mode", "merge"); }
[[nodiscard]] inline bool is_compact(const Variant& variant) { return has(variant, "style", "compact"); }

/// The kinds of files of streams that a test applies to.
template <class Wanted>
[[nodiscard]] std::vector<Variant> variants_of_streams(Wanted&& wanted) {
  std::vector<Variant> all = variants_of_streams();
  std::erase_if(all, [&](const Variant& variant) { return !wanted(variant); });
  return all;
}

/// The files of a set whose first one has this name: their bytes by the rest of the name.
[[nodiscard]] inline std::map<std::string, std::string> files_of(const std::string& first) {
  std::map<std::string, std::string> files;
  const std::filesystem::path path(first);
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(path.filename().string())) {
      files[name.substr(path.filename().string().size())] = bytes_of(entry.path().string());
    }
  }
  return files;
}

/// Tests that run over kinds of files of streams.
class StreamFiles : public testing::TestWithParam<Variant> {
 protected:
  static constexpr std::int64_t tasks = 9;

  [[nodiscard]] static WriteOptions options() {
    WriteOptions options = GetParam().new_file_options();
    options.transport = transport();
    // Files of different names are compared.
    options.options["stored_name"] = "stored";
    return options;
  }
  [[nodiscard]] static StreamSample sample() { return StreamSample(tasks, is_keyed(GetParam())); }
  static void write(const std::string& file, Comm comm, const WriteOptions& options) {
    StreamSample mine = sample();
    Writer out = create(file, comm, options);
    WriteStep step = out.step(0);
    mine.fill(step, comm);
    step.commit();
    out.close();
  }
  [[nodiscard]] static std::string file_named(const std::string& name) {
    return path(name + "_" + GetParam().name() + "_set");
  }
  [[nodiscard]] static Comm everyone_in_time() {
    Comm comm = everyone();
    comm.set_deadline(std::chrono::seconds(60));
    return comm;
  }
};

}  // namespace quire::test
