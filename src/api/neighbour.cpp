#include "api/neighbour.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "quire/comm/comm.hpp"
#include "quire/transport/transport.hpp"

namespace quire {
namespace {

/// A file of its own, for includes and external links.
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

std::shared_ptr<ByteSource> opened(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return nullptr;
  return std::make_shared<NeighbourSource>(open_transport("posix", path.string(), Access::read, Comm::self(), {}));
}

}  // namespace

std::shared_ptr<ByteSource> file_beside(const std::string& file, const std::string& name) {
  return opened(std::filesystem::path(file).parent_path() / name);
}

std::shared_ptr<ByteSource> neighbour_of(const std::string& file, const std::string& name) {
  auto beside = file_beside(file, name);
  return beside ? beside : opened(name);
}

}  // namespace quire
