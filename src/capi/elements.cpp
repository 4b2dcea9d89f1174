#include "quire/capi/elements.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

quire::Expansion expansion_of(const quire_expansion* given) {
  if (given == nullptr) throw usage("the expansion is a null pointer");
  const quire_expansion known = known_members(given, "quire_default_expansion");
  quire::Expansion expansion;
  expansion.shape = not_null(known.shape, "the shape");
  expansion.basis = texts_of(known.basis, known.directions, "the bases");
  if (known.modes != nullptr) expansion.modes = copy_of(known.modes, known.directions, "the modes");
  expansion.lengths = copy_of(known.lengths, known.homogeneous, "the lengths");
  expansion.y_ids = copy_of(known.y_ids, known.y_planes, "the ids of lines");
  expansion.z_ids = copy_of(known.z_ids, known.z_planes, "the ids of planes");
  expansion.strips = known.has_strips != 0;
  expansion.strip_ids = copy_of(known.strip_ids, known.strips, "the ids of strips");
  expansion.points = text_or_empty(known.points);
  expansion.point_counts = text_or_empty(known.point_counts);
  expansion.elements = text_or_empty(known.elements);
  expansion.origin = text_or_empty(known.origin);
  return expansion;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  std::ranges::transform(texts, std::back_inserter(pointers), [](const std::string& text) { return text.c_str(); });
  return pointers;
}

template <class Element>
const Element* start_of(const std::vector<Element>& all) {
  return all.empty() ? nullptr : all.data();
}

void show(const quire::Expansion& expansion, quire_file::ShownExpansion& to) {
  to.basis = pointers_to(expansion.basis);
  quire_expansion& shown = to.shown;
  shown.size = sizeof shown;
  shown.shape = expansion.shape.c_str();
  shown.directions = to.basis.size();
  shown.basis = to.basis.data();
  shown.modes = start_of(expansion.modes);
  shown.homogeneous = expansion.lengths.size();
  shown.lengths = start_of(expansion.lengths);
  shown.y_planes = expansion.y_ids.size();
  shown.y_ids = start_of(expansion.y_ids);
  shown.z_planes = expansion.z_ids.size();
  shown.z_ids = start_of(expansion.z_ids);
  shown.has_strips = expansion.strips ? 1 : 0;
  shown.strips = expansion.strip_ids.size();
  shown.strip_ids = start_of(expansion.strip_ids);
  shown.points = expansion.points.c_str();
  shown.point_counts = expansion.point_counts.c_str();
  shown.elements = expansion.elements.c_str();
  shown.origin = expansion.origin.c_str();
}

quire::ElementPart part_of(const quire_element_part* given) {
  if (given == nullptr) throw usage("a part is a null pointer");
  const quire_element_part known = known_members(given, "quire_default_element_part");
  quire::ElementPart part;
  part.expansion = expansion_of(known.expansion);
  part.ids = list(known.ids, known.elements, "the ids");
  if (part.expansion.is_mixed() && known.elements == 0) {
    part.modes.resize(part.expansion.basis.size());
  } else if (part.expansion.is_mixed()) {
    for (const uint32_t* modes : list(known.modes, part.expansion.basis.size(), "the modes of the elements")) {
      part.modes.emplace_back(list(modes, known.elements, "the modes of a direction"));
    }
  }
  part.variables = texts_of(known.names, known.variables, "the names of the variables");
  for (const double* values : list(known.values, known.variables, "the values")) {
    part.values.emplace_back(list(values, known.coefficients, "the values of a variable"));
  }
  return part;
}

quire::ElementRequest request_of(const quire_element_request* given) {
  const quire_element_request known = known_members(given, "quire_default_element_request");
  quire::ElementRequest request;
  if (known.is_by_ids != 0) request.ids = copy_of(known.ids, known.elements, "the ids");
  if (known.partition != QUIRE_CONTIGUOUS && known.partition != QUIRE_EVERYTHING) throw usage("unknown partition");
  request.partition = static_cast<quire::ElementPartition>(known.partition);
  request.weights = copy_of(known.weights, known.ranks, "the weights");
  request.variables = texts_of(known.names, known.variables, "the names of the variables");
  return request;
}

const quire_file::ReadElements& elements_of(quire_file& file) {
  static_cast<void>(chosen_step(file));
  if (!file.elements) throw usage("no elements were read").advise("call quire_read_elements_all first");
  return *file.elements;
}

}  // namespace

extern "C" {

quire_status quire_new_layout(quire_layout** layout) {
  return guarded([&] {
    place(layout, "the layout") = nullptr;
    *layout = std::make_unique<quire_layout>().release();
  });
}

uint64_t quire_count_distributions(const quire_layout* layout) {
  return layout != nullptr ? layout->layout.distributions() : 0;
}

uint64_t quire_count_reused(const quire_layout* layout) { return layout != nullptr ? layout->layout.reused() : 0; }

void quire_free_layout(quire_layout* layout) { const std::unique_ptr<quire_layout> mine(layout); }

quire_status quire_get_element_coefficients(const quire_expansion* expansion, uint64_t directions,
                                            const uint64_t* modes, uint64_t* coefficients) {
  return guarded([&] {
    const auto given = list(modes, directions, "the modes");
    place(coefficients, "the number of coefficients") = quire::element_coefficients(expansion_of(expansion), given);
  });
}

quire_status quire_put_elements(quire_file* file, uint64_t parts, const quire_element_part* const* mine,
                                const quire_layout* layout) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    std::vector<quire::ElementPart> all;
    for (const quire_element_part* part : list(mine, parts, "the parts")) all.push_back(part_of(part));
    quire::put_elements(step, all, layout != nullptr ? layout->layout : quire::ElementLayout());
  });
}

quire_status quire_set_expansion(quire_file* file, const quire_expansion* expansion) {
  return guarded_in_step(file, [&] { open_step(*file).expansion(expansion_of(expansion)); });
}

quire_status quire_get_expansion(quire_file* file, quire_expansion* expansion, uint64_t size) {
  return guarded(file, [&] {
    static_cast<void>(chosen_step(*file));
    const quire::Table& table = chosen_table(*file);
    if (!table.expansion) throw Error(ErrorKind::missing, "the table has no expansion").on(table.name);
    show(*table.expansion, file->expansion);
    quire_expansion known = file->expansion.shown;
    known.size = std::min<uint64_t>(size, sizeof known);
    fill_in(known, expansion, size);
  });
}

quire_status quire_read_elements_all(quire_file* file, const quire_element_request* request) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    file->elements.reset();
    quire::ElementRequest wanted;
    const auto refusal = quire::caught([&] { wanted = request_of(request); });
    quire_file::ReadElements read;
    read.all = step.read_elements_all(wanted, refusal);
    file->elements.emplace(std::move(read));
    for (const quire::ElementBlock& block : file->elements->all.blocks) {
      auto& shown = file->elements->blocks.emplace_back();
      show(block.expansion, shown.expansion);
      shown.names = pointers_to(block.variables);
      for (const auto& values : block.values) shown.values.push_back(values.data());
    }
  });
}

quire_status quire_get_elements_info(quire_file* file, quire_elements_info* info, uint64_t size) {
  return guarded(file, [&] {
    const quire::Elements& all = elements_of(*file).all;
    fill_in(quire_elements_info{all.blocks.size(), all.missing.size(), start_of(all.missing), all.repeated.size(),
                                start_of(all.repeated)},
            info, size);
  });
}

quire_status quire_get_element_block(quire_file* file, uint64_t index, quire_element_block* block, uint64_t size) {
  return guarded(file, [&] {
    const quire_file::ReadElements& read = elements_of(*file);
    if (index >= read.blocks.size()) throw Error(ErrorKind::missing, "there is no such block of elements");
    const quire::ElementBlock& found = read.all.blocks[index];
    const auto& shown = read.blocks[index];
    quire_element_block known = {};
    known.expansion = &shown.expansion.shown;
    known.table = found.table.c_str();
    known.elements = found.ids.size();
    known.ids = start_of(found.ids);
    known.modes_count = found.modes.size();
    known.modes = start_of(found.modes);
    known.variables = shown.names.size();
    known.names = start_of(shown.names);
    known.offsets = start_of(found.offsets);
    known.values = start_of(shown.values);
    fill_in(known, block, size);
  });
}

}  // extern "C"
