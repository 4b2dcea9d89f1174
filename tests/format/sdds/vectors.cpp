#include "format/sdds/vectors.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace quire::test {
namespace {

[[nodiscard]] std::string folder() {
  const char* data = std::getenv("QUIRE_TEST_DATA");
  // A program may be started without ctest.
  return std::string(data != nullptr ? data : QUIRE_TEST_DATA_FOLDER) + "/sdds/";
}

}  // namespace

std::string read_vector(const std::string& name) {
  std::ifstream file(folder() + name, std::ios::binary);
  if (!file) throw std::runtime_error("no such vector: " + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Vector::bytes() const { return read_vector(name); }

Json Vector::truth() const { return Json::load(folder() + name + ".json"); }

bool Vector::is_compressed() const {
  const std::string head = bytes().substr(0, 4);
  return !head.empty() && (head[0] == '\x1f' || head[0] == '\xfd' || head[0] == '\x5d');
}

void PrintTo(const Vector& vector, std::ostream* out) { *out << vector.name; }

std::string test_name(const std::string& vector) {
  std::string name = vector;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

std::vector<Vector> all_vectors() {
  std::map<std::string, Vector> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".json") || file == "index.json") continue;
    const std::string name = file.substr(0, file.size() - 5);
    found[name].name = name;
  }
  const Json index = Json::load(folder() + "index.json");
  for (const Json& entry : index.items()) {
    Vector& vector = found.at(entry["name"].text());
    vector.canonical = entry["canonical"].text() == "1";
    vector.writer = entry["writer"].text();
  }
  std::vector<Vector> all;
  for (auto& [name, vector] : found) all.push_back(std::move(vector));
  return all;
}

std::vector<Vector> vectors(const std::string& open, const std::string& mode) {
  std::vector<Vector> chosen;
  for (Vector& vector : all_vectors()) {
    const Json truth = vector.truth();
    if (truth["open"].text() != open || vector.is_compressed()) continue;
    if (!mode.empty() && truth["mode"].text() != mode) continue;
    chosen.push_back(std::move(vector));
  }
  return chosen;
}

DescribeContext context_of(const std::string& name) {
  DescribeContext context;
  context.path = name;
  context.neighbour = [](const std::string& other) -> std::shared_ptr<ByteSource> {
    if (!std::filesystem::is_regular_file(folder() + other)) return nullptr;
    return std::make_shared<MemorySource>(read_vector(other));
  };
  return context;
}

}  // namespace quire::test
