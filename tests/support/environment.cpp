#include "support/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#ifdef QUIRE_TESTS_WITH_MPI
#include <mpi.h>

#include "quire/comm/mpi.hpp"
#endif

namespace quire::test {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

}  // namespace

Comm everyone() {
#ifdef QUIRE_TESTS_WITH_MPI
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return world();
#endif
  return Comm::self();
}

std::string transport() { return variable("QUIRE_TEST_TRANSPORT", "posix"); }

std::string path(const std::string& name) {
  namespace files = std::filesystem;
  // A test that is started by hand must not write its files to the current directory.
  const files::path otherwise = files::temp_directory_path() / "quire-tests";
  const files::path directory = variable("QUIRE_TEST_DIRECTORY", otherwise.c_str());
  if (directory == otherwise) files::create_directories(directory);
  return (directory / name).string();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace quire::test
