#include "quire/capi/parts.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/fields.hpp"
#include "capi/handle.hpp"
#include "capi/views.hpp"

namespace {

using quire::Error;
using namespace quire::capi;

/// A collective call of a step before its commit. If it fails the step ends: a rank that cannot commit it any more
/// aborts it, and the others receive the reason.
quire_status collective_in_step(quire_file* file, void (quire::WriteStep::*call)()) noexcept {
  return guarded(file, [&] {
    refuse_in_fill(*file);
    static_cast<void>(open_step(*file));
    auto& refused = file->pending.refused;
    if (file->pending.is_placed && !refused) refused = usage("the step is placed already");
    if (!refused) {
      try {
        return (*file->write_step.*call)();
      } catch (const Error&) {
        file->write_step.reset();
        throw;
      }
    }
    quire::WriteStep step = *std::exchange(file->write_step, std::nullopt);
    const Error mine = *std::exchange(refused, std::nullopt);
    step.abort(mine.message());
    throw Error(mine);
  });
}

/// Views of rows of all declared columns of a table, and copies of their texts.
class RowViews {
 public:
  RowViews(const quire_file& file, std::uint64_t rows, std::uint64_t columns, const quire_type* types,
           const void* const* values) {
    const auto all_types = list(types, columns, "the types");
    const auto all_values = list(values, columns, "the lists of values");
    for (std::size_t i = 0; i < columns; ++i) {
      if (all_types[i] == QUIRE_STRING) {
        quire::PackedStrings& packed = strings_.emplace_back();
        for (const auto& text : texts_of(static_cast<const char* const*>(all_values[i]), rows, "the texts")) {
          packed.push_back(text);
        }
        views_.emplace_back(packed);
      } else {
        views_.push_back(number_view(all_types[i], all_values[i], rows, file.chosen.stride));
      }
    }
  }
  [[nodiscard]] const std::vector<quire::ConstView>& views() const noexcept { return views_; }

 private:
  std::deque<quire::PackedStrings> strings_;
  std::vector<quire::ConstView> views_;
};

}  // namespace

extern "C" {

quire_status quire_declare_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                 const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const quire::Box box = chosen_box(*file);
    quire::Field declared = field_to_write(*file, field, unit);
    declared.type = number_type(type);
    declared.components = components;
    step.declare_field(std::move(declared), box);
  });
}

quire_status quire_get_chunk(quire_file* file, const char* field, quire_type type, uint64_t components, uint64_t axes,
                             const uint64_t* extents, uint64_t* shape) {
  return guarded(file, [&] {
    if (axes > 0 && shape == nullptr) throw usage("the shape is a null pointer");
    quire::Field asked;
    asked.name = not_null(field, "the name of the field");
    asked.type = number_type(type);
    asked.components = components;
    asked.extents = copy_of(extents, axes, "the extents");
    const std::vector<std::uint64_t> chunk = open_step(*file).field_chunk(asked);
    std::fill_n(shape, axes, 0);
    std::copy_n(chunk.begin(), std::min<std::uint64_t>(axes, chunk.size()), shape);
  });
}

int quire_weighs_values(const quire_file* file) {
  return file != nullptr && file->writer && file->writer->weighs_values() ? 1 : 0;
}

quire_status quire_agree_on_rows(quire_file* file) {
  return collective_in_step(file, &quire::WriteStep::agree_on_rows);
}

quire_status quire_weigh_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                               const void* const* values) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const auto views = part_views(*file, type, components, values);
    step.weigh_field(not_null(field, "the name of the field"), chosen_box(*file), views);
  });
}

quire_status quire_open_step(quire_file* file) {
  const quire_status status = collective_in_step(file, &quire::WriteStep::open);
  if (status == QUIRE_OK) file->pending.is_placed = true;
  return status;
}

quire_status quire_write_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                               const void* const* values) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const auto views = part_views(*file, type, components, values);
    step.write_field(not_null(field, "the name of the field"), chosen_box(*file), views);
  });
}

quire_status quire_declare_column(quire_file* file, const char* column, quire_type type, const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const quire::Type of = number_type(type);
    step.declare(quire::Column{quantity_of(column, of, unit, std::exchange(file->texts, {}))});
  });
}

quire_status quire_declare_texts(quire_file* file, const char* column, uint64_t longest, uint64_t bytes,
                                 const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    quire::Column declared{quantity_of(column, quire::Type::string, unit, std::exchange(file->texts, {}))};
    declared.text_bytes = longest;
    step.declare(std::move(declared), bytes);
  });
}

quire_status quire_weigh_rows(quire_file* file, uint64_t rows, uint64_t columns, const quire_type* types,
                              const void* const* values) {
  return guarded_in_step(file, [&] {
    const RowViews given(*file, rows, columns, types, values);
    open_step(*file).weigh(file->chosen.table, given.views());
  });
}

quire_status quire_write_rows(quire_file* file, uint64_t first, uint64_t rows, uint64_t columns,
                              const quire_type* types, const void* const* values) {
  return guarded_in_step(file, [&] {
    const RowViews given(*file, rows, columns, types, values);
    open_step(*file).write(file->chosen.table, first, given.views());
  });
}

}  // extern "C"
