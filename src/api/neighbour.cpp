#include "api/neighbour.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/file_system.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

/// A separate file, for includes and external links.
class NeighbourSource final : public ByteSource {
 public:
  explicit NeighbourSource(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  [[nodiscard]] std::uint64_t size() override { return transport_->size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    return transport_->get(offset, out);
  }

 private:
  std::unique_ptr<Transport> transport_;
};

bool is_file(const files::path& path) {
  std::error_code ignored;
  return files::is_regular_file(path, ignored);
}

std::shared_ptr<ByteSource> opened(const files::path& path) {
  files::path place = path;
  if (!is_file(place)) {
    place = where_it_is(path.string());
    if (place == path) return nullptr;
  }
  return std::make_shared<NeighbourSource>(open_transport("posix", place.string(), Access::read, Comm::self(), {}));
}

/// The path of a file that another one refers to.
files::path place_of(const std::string& file, const std::string& name) {
  const files::path beside = files::path(file).parent_path() / name;
  return is_file(beside) ? beside : files::path(name);
}

/// A member that is a link to the first file is refused: writing to it, or truncating it, would change the first file.
std::shared_ptr<ByteSource> opened_member(const files::path& first, const std::string& name) {
  const files::path path = first.parent_path() / name;
  std::error_code ignored;
  if (files::equivalent(first, path, ignored)) {
    throw Error(ErrorKind::bad_file, "the file names itself as another one of its set: " + name + " is a link to it")
        .in_file(first.string())
        .advise("replace the link by the other file");
  }
  return opened(path);
}

/// Empty for a directory that may be entered and not listed.
std::vector<std::string> names_beside(const std::string& directory) {
  try {
    return names_in(directory);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

DescribeContext context_of(const std::string& file, std::uint64_t memory_budget) {
  return {.path = file,
          .memory_budget = memory_budget,
          .neighbour =
              [file](const std::string& name) {
                auto beside = opened(files::path(file).parent_path() / name);
                return beside != nullptr ? beside : opened(name);
              },
          .member =
              [file](const std::string& neighbour, const std::string& name) {
                const files::path first = neighbour.empty() ? files::path(file) : place_of(file, neighbour);
                return opened_member(first, name);
              },
          .beside =
              [file] {
                const files::path directory = files::path(file).parent_path();
                return names_beside(directory.empty() ? "." : directory.string());
              }};
}

}  // namespace quire
