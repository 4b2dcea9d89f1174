#include "capi/fields.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/views.hpp"

namespace quire::capi {

namespace {

const Selection& chosen_elements(const quire_file& file) {
  if (!file.chosen.elements) throw usage("no box was chosen").advise("call quire_set_box first");
  return *file.chosen.elements;
}

/// The values of each component in memory.
std::uint64_t values_in_memory(const quire_file& file) {
  const MemorySelection& memory = file.chosen.memory;
  return memory.is_packed() ? chosen_elements(file).elements() : volume(memory.extents);
}

/// Views of the components of a field, of either kind.
template <class AnyView, class Memory>
std::vector<AnyView> component_views(quire_type type, std::uint64_t count, std::uint64_t components,
                                     Memory* const* values, std::int64_t stride) {
  std::vector<AnyView> views;
  for (Memory* component : list(values, components, "the components")) {
    views.push_back(number_view(type, component, count, stride));
  }
  return views;
}

/// Begins another selection of elements, for which memory is packed.
void choose_elements(quire_file& file, std::uint64_t axes, const std::uint64_t* extents, Selection elements) {
  if (!file.writer && !file.reader) throw usage("the file is not open");
  file.chosen.extents = extents != nullptr ? std::vector(extents, extents + axes) : std::vector<std::uint64_t>();
  file.chosen.elements = std::move(elements);
  file.chosen.memory = {};
}

/// Like guarded_in_step(), but a selection that failed leaves none.
quire_status choosing_elements(quire_file* file, const std::function<void()>& choose) noexcept {
  return guarded_in_step(file, [&] {
    file->chosen.box.reset();
    file->chosen.elements.reset();
    choose();
  });
}

Selection with(const Selection& selection, Hyperslab slab) {
  std::vector<Hyperslab> parts = selection.parts();
  parts.push_back(std::move(slab));
  return Selection(std::move(parts));
}

/// What is known of a field of the open step before it is put.
Field& known_field(quire_file& file, const char* name) {
  static_cast<void>(open_step(file));
  return file.pending.fields[not_null(name, "the name of the field")];
}

const Field& read_field(quire_file& file, const char* name) {
  const StepDescription& step = chosen_step(file).description();
  return step.fields.at(step.find_field(not_null(name, "the name of the field")));
}

/// Memory for the chosen elements of a field.
std::vector<View> field_views(quire_file& file, const char* field, quire_type type, std::uint64_t components,
                              void* const* values) {
  if (components != read_field(file, field).components) throw usage("the field has another number of components");
  return component_views<View>(type, values_in_memory(file), components, values, file.chosen.stride);
}

void return_positions(const std::vector<double>& known, std::uint64_t axes, double* to) {
  for (std::uint64_t axis = 0; axis < axes; ++axis) {
    to[axis] = axis < known.size() ? known[axis] : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

const Box& chosen_box(const quire_file& file) {
  if (file.chosen.box) return *file.chosen.box;
  if (file.chosen.elements) throw usage("parts of a field are boxes").advise("call quire_set_box");
  throw usage("no box was chosen").advise("call quire_set_box first");
}

std::vector<ConstView> part_views(const quire_file& file, quire_type type, std::uint64_t components,
                                  const void* const* values) {
  if (!file.chosen.memory.is_packed()) throw usage("the memory of parts of a field holds just their elements");
  const std::uint64_t elements = volume(chosen_box(file).count);
  return component_views<ConstView>(type, elements, components, values, file.chosen.stride);
}

Field field_to_write(quire_file& file, const char* name, const char* unit) {
  Field field;
  if (const auto known = file.pending.fields.extract(not_null(name, "the name of the field"))) field = known.mapped();
  static_cast<Quantity&>(field) = quantity_of(name, field.type, unit, std::exchange(file.texts, {}));
  field.extents = file.chosen.extents;
  for (const Hyperslab& part : chosen_elements(file).parts()) {
    if (part.start.size() == field.extents.size()) continue;
    throw usage("the extents of the field are not known").on(field.name).advise("pass them to quire_set_box");
  }
  return field;
}

}  // namespace quire::capi

using namespace quire::capi;

extern "C" {

quire_status quire_set_box(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                           const uint64_t* count) {
  return choosing_elements(file, [&] {
    const quire::Box box{copy_of(start, axes, "the starts"), copy_of(count, axes, "the counts")};
    choose_elements(*file, axes, extents, box);
    file->chosen.box = box;
  });
}

quire_status quire_set_hyperslab(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                                 const uint64_t* stride, const uint64_t* count, const uint64_t* block) {
  return choosing_elements(
      file, [&] { choose_elements(*file, axes, extents, hyperslab(axes, start, stride, count, block)); });
}

quire_status quire_add_hyperslab(quire_file* file, uint64_t axes, const uint64_t* start, const uint64_t* stride,
                                 const uint64_t* count, const uint64_t* block) {
  return guarded_in_step(file, [&] {
    file->chosen.box.reset();
    const quire::Selection before = *std::exchange(file->chosen.elements, chosen_elements(*file));
    file->chosen.elements.reset();
    file->chosen.elements = with(before, hyperslab(axes, start, stride, count, block));
  });
}

quire_status quire_set_memory(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                              const uint64_t* stride, const uint64_t* count, const uint64_t* block) {
  return guarded_in_step(file, [&] {
    static_cast<void>(chosen_elements(*file));
    file->chosen.memory = {};
    if (axes == 0) return;
    file->chosen.memory = {copy_of(extents, axes, "the extents of the memory"),
                           hyperslab(axes, start, stride, count, block)};
  });
}

quire_status quire_add_memory(quire_file* file, uint64_t axes, const uint64_t* start, const uint64_t* stride,
                              const uint64_t* count, const uint64_t* block) {
  return guarded_in_step(file, [&] {
    quire::MemorySelection& memory = file->chosen.memory;
    if (memory.is_packed()) throw usage("no places in memory were chosen").advise("call quire_set_memory first");
    memory.selection = with(memory.selection, hyperslab(axes, start, stride, count, block));
  });
}

quire_status quire_set_grid(quire_file* file, const char* field, uint64_t axes, const double* origin,
                            const double* spacing) {
  return guarded_in_step(file, [&] {
    quire::Geometry& geometry = known_field(*file, field).geometry;
    geometry.origin = origin != nullptr ? std::vector(origin, origin + axes) : std::vector<double>();
    geometry.spacing = spacing != nullptr ? std::vector(spacing, spacing + axes) : std::vector<double>();
  });
}

quire_status quire_set_coordinates(quire_file* file, const char* field, uint64_t axis, uint64_t count,
                                   const double* coordinates) {
  return guarded_in_step(file, [&] {
    auto& all = known_field(*file, field).geometry.coordinates;
    if (axis >= file->chosen.extents.size()) {
      throw usage("the field has no such axis").advise("set its box before its coordinates");
    }
    all.resize(file->chosen.extents.size());
    all[axis] = copy_of(coordinates, count, "the coordinates");
  });
}

quire_status quire_set_group(quire_file* file, const char* field, const char* group) {
  return guarded_in_step(file, [&] { known_field(*file, field).group = not_null(group, "the name of the group"); });
}

quire_status quire_put_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                             const void* const* values, const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    auto views =
        component_views<quire::ConstView>(type, values_in_memory(*file), components, values, file->chosen.stride);
    step.put_field(field_to_write(*file, field, unit), chosen_elements(*file), std::move(views), file->chosen.memory);
  });
}

quire_status quire_get_extents(quire_file* file, const char* field, uint64_t capacity, uint64_t* extents,
                               uint64_t* axes, uint64_t* components) {
  return guarded(file, [&] {
    const quire::Field& found = read_field(*file, field);
    if (axes != nullptr) *axes = found.extents.size();
    if (components != nullptr) *components = found.components;
    if (capacity < found.extents.size()) throw usage("the field has more axes than fit into the memory").on(field);
    if (extents == nullptr && !found.extents.empty()) throw usage("the extents are a null pointer");
    std::ranges::copy(found.extents, extents);
  });
}

quire_status quire_get_grid(quire_file* file, const char* field, uint64_t axes, double* origin, double* spacing) {
  return guarded(file, [&] {
    const quire::Field& found = read_field(*file, field);
    if (axes != found.extents.size()) throw usage("the field has another number of axes").on(field);
    if (axes > 0 && (origin == nullptr || spacing == nullptr)) throw usage("a list of the grid is a null pointer");
    return_positions(found.geometry.origin, axes, origin);
    return_positions(found.geometry.spacing, axes, spacing);
  });
}

quire_status quire_get_coordinates(quire_file* file, const char* field, uint64_t axis, uint64_t capacity,
                                   double* coordinates, uint64_t* count) {
  return guarded(file, [&] {
    const quire::Field& found = read_field(*file, field);
    if (axis >= found.extents.size()) throw usage("the field has no such axis").on(field);
    const auto& all = found.geometry.coordinates;
    const std::vector<double> known = axis < all.size() ? all[axis] : std::vector<double>();
    place(count, "the count") = known.size();
    if (capacity < known.size()) throw usage("the axis has more coordinates than fit into the memory").on(field);
    if (coordinates == nullptr && !known.empty()) throw usage("the coordinates are a null pointer");
    std::ranges::copy(known, coordinates);
  });
}

quire_status quire_read_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                              void* const* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    auto views = field_views(*file, field, type, components, values);
    step.read_field(field, chosen_elements(*file), std::move(views), file->chosen.memory);
  });
}

quire_status quire_read_field_all(quire_file* file, const char* field, quire_type type, uint64_t components,
                                  void* const* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    auto views = agreeable(step, [&] {
      static_cast<void>(chosen_elements(*file));
      return field_views(*file, field, type, components, values);
    });
    step.read_field_all(field, chosen_elements(*file), std::move(views), file->chosen.memory);
  });
}

}  // extern "C"
