// For builds without MPI or parallel HDF5: only the direct engine is available.

#include "format/h5/phdf5/engine.hpp"

namespace quire::h5 {

bool has_phdf5() noexcept { return false; }

std::unique_ptr<StepEngine> make_engine(const EngineSettings& /*settings*/, std::unique_ptr<EngineLayout> /*layout*/) {
  return nullptr;
}

std::unique_ptr<ReadEngine> make_read_engine(const EngineSettings& /*settings*/) { return nullptr; }

}  // namespace quire::h5
