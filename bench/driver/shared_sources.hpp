#pragma once

#include <map>
#include <memory>
#include <string>

#include "driver/share.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// The values that a rank writes, in memory: engines that write the same values share it while one of them uses it, so
/// that none finds them in a nearer cache than another.
class SharedSources {
 public:
  /// Independent.
  [[nodiscard]] std::shared_ptr<const ShareMemory> get(const Cell& cell, const Comm& comm, ShareMemory::Order order);

 private:
  std::map<std::string, std::weak_ptr<const ShareMemory>> known_;
};

}  // namespace quire::bench
