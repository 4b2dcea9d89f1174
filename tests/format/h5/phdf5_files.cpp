#include "phdf5_files.hpp"

#include <sys/wait.h>

#include <cstdlib>

#include "support/environment.hpp"

namespace quire::test {

std::vector<Kind> kinds() {
  std::vector<Kind> all{{"steps", "h5part", {}}, {"matrix", "hdf5", {{"layout", "matrix"}}}};
  if (everyone().size() > 2) return all;
  all.push_back({"chunks", "h5part", {{"chunk", "7"}}});
  all.push_back({"columns", "hdf5", {}});
  return all;
}

std::vector<Kind> compressed_kinds() {
  return {{"deflated", "h5part", {{"chunk", "7"}, {"field_chunk", "3"}, {"filter", "deflate"}}},
          {"compressed", "hdf5", {{"chunk", "5"}, {"filter", "deflate"}, {"layout", "matrix"}}}};
}

std::vector<Kind> kinds(const std::string& transfer) {
  std::vector<Kind> all = kinds();
  if (transfer != "collective" || everyone().size() > 2) return all;
  for (const Kind& kind : compressed_kinds()) all.push_back(kind);
  return all;
}

WriteOptions by_direct(const Kind& kind) {
  WriteOptions options;
  options.format = kind.format;
  options.options = kind.options;
  return options;
}

WriteOptions by_phdf5(const Kind& kind, const std::string& transfer) {
  WriteOptions options = by_direct(kind);
  options.options["engine"] = "phdf5";
  options.options["transfer"] = transfer;
  return options;
}

std::string difference(const std::string& first, const std::string& second) {
  Comm comm = everyone();
  comm.barrier();
  std::uint64_t failed = 0;
  if (comm.is_root()) {
    const std::string command =
        std::string(QUIRE_H5DIFF) + " -v '" + first + "' '" + second + "' > '" + first + ".diff' 2>&1";
    const int status = std::system(command.c_str());
    failed = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  comm.sum(std::span(&failed, 1));
  return failed == 0 ? "" : comm.is_root() ? bytes_of(first + ".diff") : "see rank 0";
}

void write_file(const std::string& path, const WriteOptions& options, std::int64_t count, const Fill& fill) {
  Writer out = create(path, everyone(), options);
  out.set("code", Value("engines"));
  for (std::int64_t number = 0; number < count; ++number) {
    WriteStep step = out.step(number);
    fill(step, number);
    step.commit();
  }
  out.close();
}

}  // namespace quire::test
