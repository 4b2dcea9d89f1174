#include "method.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire::probe {
namespace {

class TransportMethod final : public Method {
 public:
  explicit TransportMethod(std::string name) : name_(std::move(name)) {}

  void write(Comm& comm, const std::string& path, const Pieces& mine) override {
    // Rank 0 has created the file if the pattern requires one; no rank truncates joined files.
    const auto transport = open_transport(name_, path, Access::join, comm, {});
    comm.barrier();
    WritePlan plan;
    std::size_t position = 0;
    for (const Extent& extent : mine.extents) {
      const auto length = static_cast<std::size_t>(extent.length);
      plan.add(extent.offset, std::span<const std::byte>(mine.memory).subspan(position, length));
      position += length;
    }
    transport->run(plan);
    transport->close();
  }

  void read(Comm& comm, const std::string& path, const Pieces& mine) override {
    const auto transport = open_transport(name_, path, Access::read, comm, {});
    ReadPlan plan;
    std::size_t position = 0;
    for (const Extent& extent : mine.extents) {
      const auto length = static_cast<std::size_t>(extent.length);
      plan.add(extent.offset, mine.memory.subspan(position, length));
      position += length;
    }
    transport->run(plan);
    transport->close();
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Method> transport_method(const std::string& name) { return std::make_unique<TransportMethod>(name); }

}  // namespace quire::probe
