#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5part/structure.hpp"
#include "format/hdf5/image/image.hpp"
#include "format/hdf5/planning/field_growth.hpp"
#include "format/hdf5/planning/growing_rows.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::hdf5 {

/// A step to whose columns rows can be added.
struct GrowingStep : GrowingRows {
  std::int64_t number = 0;
  std::string group;
  std::vector<GrowingField> fields;

  [[nodiscard]] const GrowingField& field(const std::string& name) const;
  template <class Archive>
  void archive(Archive& a) {
    a(number, group, rows, chunk_rows, columns, fields);
  }
};

/// The step of this group in the image's open file. Throws a conflict error that states why its columns cannot
/// grow. It may have fields that cannot grow.
[[nodiscard]] GrowingStep growing_step(hid_t file, std::int64_t number, const std::string& group, Image& image,
                                       std::uint64_t memory_budget);

/// First half of a growth: releases last chunks that are not full. It needs a session of its own; otherwise HDF5 would
/// reuse their space for the new chunks.
void release_open_chunks(hid_t file, const GrowingStep& step, const StepDescription& added);

/// Second half: extends the columns of `added` by `rows`, adds the chunks after the full ones to the index, and extends
/// the fields.
void extend_step(hid_t file, Image& image, const GrowingStep& step, const StepDescription& added, std::uint64_t rows,
                 const StepChunks& chunks);

}  // namespace quire::hdf5
