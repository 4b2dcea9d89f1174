#include "format/h5/phdf5/growing.hpp"

#include <ranges>
#include <utility>

#include "format/h5/datasets.hpp"

namespace quire::h5 {

void Extensions::extend(const Handle& dataset, const std::vector<std::uint64_t>& extents, const std::string& name) {
  const std::vector<std::uint64_t> before = extents_of(dataset.id(), name);
  const std::vector<hsize_t> wanted(extents.begin(), extents.end());
  all_.push_back({dataset.share(), {before.begin(), before.end()}, name});
  require(H5Dset_extent(dataset.id(), wanted.data()), "extend the dataset", name);
}

void Extensions::take_back() {
  const std::vector<Extension> all = std::exchange(all_, {});
  for (const Extension& one : std::views::reverse(all)) {
    require(H5Dset_extent(one.dataset.id(), one.before.data()), "restore the extents", one.name);
  }
}

void Extensions::abandon() noexcept {
  for (Extension& one : all_) one.dataset.abandon();
  all_.clear();
}

}  // namespace quire::h5
