#include <unistd.h>

#include "method.hpp"
#include "quire/base/error.hpp"

namespace quire::probe {
namespace {

class Planted final : public Method {
 public:
  Planted(std::unique_ptr<Method> inner, std::string fault) : inner_(std::move(inner)), fault_(std::move(fault)) {}

  void write(Comm& comm, const std::string& path, const Pieces& mine) override {
    const bool last = comm.rank() + 1 == comm.size();
    if (!last || mine.extents.empty()) return inner_->write(comm, path, mine);
    if (fault_ == "hang") {
      while (true) ::pause();
    }
    std::vector<std::byte> copy(mine.memory.begin(), mine.memory.end());
    Pieces changed{mine.extents, copy};
    if (fault_ == "lie") {
      copy[copy.size() / 2] ^= std::byte{0x10};
    } else {
      changed.extents.pop_back();
    }
    inner_->write(comm, path, changed);
  }

  void read(Comm& comm, const std::string& path, const Pieces& mine) override { inner_->read(comm, path, mine); }

 private:
  std::unique_ptr<Method> inner_;
  std::string fault_;
};

}  // namespace

std::unique_ptr<Method> planted(std::unique_ptr<Method> inner, const std::string& fault) {
  if (fault.empty()) return inner;
  if (fault != "lie" && fault != "late" && fault != "hang") {
    throw Error(ErrorKind::usage, "there is no fault '" + fault + "' to plant");
  }
  return std::make_unique<Planted>(std::move(inner), fault);
}

}  // namespace quire::probe
