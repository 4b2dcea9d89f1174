#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "format/sdds/memory_writer.hpp"

namespace quire::sdds::test {

using namespace quire::test;

[[nodiscard]] std::unique_ptr<Describer> describer_of(const std::string& name, const std::string& bytes);

/// The whole of a file in memory.
struct LoadedFile {
  FileDescription file;
  std::vector<LoadedStep> steps;
};

[[nodiscard]] LoadedFile load_file(const std::string& bytes);
/// The file that some ranks write from it, the rows split evenly.
[[nodiscard]] std::string write_file(const LoadedFile& loaded, int ranks, const Options& options);
void expect_same(const LoadedFile& found, const LoadedFile& expected);

[[nodiscard]] Header header_of(const std::string& bytes);
/// The options for the layout of an existing file.
[[nodiscard]] Options options_like(const Header& header);

/// Canonical files that cannot be written byte for byte from the model, with the reason. Their headers and pages are
/// compared separately.
[[nodiscard]] const std::map<std::string, std::string>& not_from_the_model();

}  // namespace quire::sdds::test
