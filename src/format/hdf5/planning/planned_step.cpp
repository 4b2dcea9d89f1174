#include "format/hdf5/planning/planned_step.hpp"

namespace quire::hdf5 {

std::span<const std::vector<PackedChunk>> PlannedStep::chunks_of(std::size_t field) const noexcept {
  if (field >= chunks.size()) return {};
  return chunks[field];
}

PlannedSpace PlannedStep::whole(std::size_t field) const {
  if (fields[field].empty()) return {};
  PlannedSpace space{fields[field].front().offset, 0};
  for (const PlannedSpace& component : fields[field]) space.length += component.length;
  return space;
}

std::vector<PlannedSpace> PlannedStep::spaces() const {
  std::vector<PlannedSpace> all;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (lengths.empty()) all.insert(all.end(), tables[t].begin(), tables[t].end());
    for (std::size_t c = 0; !lengths.empty() && c < lengths[t].size(); ++c) {
      std::uint64_t next = tables[t][c].offset;
      for (const std::uint64_t length : lengths[t][c]) {
        all.push_back({next, length});
        next += length;
      }
    }
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (shapes[f].empty() && joined[f]) {
      all.push_back(whole(f));
    } else if (shapes[f].empty()) {
      all.insert(all.end(), fields[f].begin(), fields[f].end());
    } else {
      const auto components = chunks_of(f);
      for (std::size_t c = 0; c < components.size(); ++c) {
        for (const PackedChunk& chunk : components[c]) all.push_back({fields[f][c].offset + chunk.place, chunk.length});
      }
    }
  }
  return all;
}

}  // namespace quire::hdf5
