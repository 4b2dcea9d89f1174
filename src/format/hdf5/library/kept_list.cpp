#include "format/hdf5/library/kept_list.hpp"

namespace quire::hdf5 {

bool KeptList::is_there() const noexcept {
  return id_ >= 0 && H5Iget_type(id_) == H5I_GENPROP_LST && H5Pexist(id_, mark_) > 0;
}

Handle KeptList::get() {
  const auto alone = library_lock();
  if (!is_there()) {
    Handle made = make_();
    require(H5Pinsert2(made.id(), mark_, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            "mark a property list");
    id_ = made.id();
    made.abandon();
  }
  require(H5Iinc_ref(id_), "share a property list");
  return Handle(id_);
}

}  // namespace quire::hdf5
