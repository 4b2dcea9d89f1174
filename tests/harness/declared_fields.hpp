#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/variant_file.hpp"

namespace quire::test {

inline constexpr std::uint64_t layers = 11;
inline constexpr std::uint64_t rows = 7;
inline constexpr std::uint64_t columns = 5;

inline const std::vector<std::string> column_names{"layer_a", "layer_b", "layer_c"};

/// How a rank divides its box into parts.
struct Cut {
  std::string name;
  std::function<std::vector<Box>(const Box& mine)> parts;
  bool in_order = true;  ///< as text formats require
};

inline std::vector<Box> whole_box(const Box& mine) { return {mine}; }

inline std::vector<Box> by_layers(const Box& mine) {
  std::vector<Box> parts;
  for (std::uint64_t layer = 0; layer < mine.count[0]; layer += 2) {
    Box part = mine;
    part.start[0] += layer;
    part.count[0] = std::min<std::uint64_t>(2, mine.count[0] - layer);
    parts.push_back(part);
  }
  return parts;
}

inline std::vector<Box> by_rows(const Box& mine) {
  std::vector<Box> parts;
  for (const Box& layer : by_layers(mine)) {
    for (std::uint64_t i = 0; i < layer.count[0]; ++i) {
      for (std::uint64_t row = 0; row < rows; row += 3) {
        parts.push_back({{layer.start[0] + i, row, 0}, {1, std::min<std::uint64_t>(3, rows - row), columns}});
      }
    }
  }
  return parts;
}

/// Towers along the slowest axis in reverse order, and an empty part.
inline std::vector<Box> by_towers_backwards(const Box& mine) {
  std::vector<Box> parts{{mine.start, {0, rows, columns}}};
  for (std::uint64_t column = columns; column-- > 0;) {
    parts.push_back({{mine.start[0], 0, column}, {mine.count[0], rows, 1}});
  }
  return parts;
}

inline const std::vector<Cut>& cuts() {
  static const std::vector<Cut> all{
      {"whole", whole_box}, {"layers", by_layers}, {"rows", by_rows}, {"towers", by_towers_backwards, false}};
  return all;
}

/// The values of a component in a box, each a function of its position in the field.
template <class Number>
std::vector<Number> values_of(const Box& box, std::uint64_t component) {
  std::vector<Number> values;
  for (std::uint64_t z = 0; z < box.count[0]; ++z) {
    for (std::uint64_t y = 0; y < box.count[1]; ++y) {
      for (std::uint64_t x = 0; x < box.count[2]; ++x) {
        const std::uint64_t place = ((box.start[0] + z) * rows + box.start[1] + y) * columns + box.start[2] + x;
        values.push_back(static_cast<Number>(place * 3 + component * 1000) / 2);
      }
    }
  }
  return values;
}

inline Field vector_field() {
  Field field;
  field.name = "E";
  field.type = Type::float64;
  field.unit = "V/m";
  field.extents = {layers, rows, columns};
  field.components = 3;
  return field;
}

inline Field index_field() {
  Field field = vector_field();
  field.name = "index";
  field.type = Type::int32;
  field.unit = "";
  field.components = 1;
  return field;
}

class DeclaredFields : public VariantFile {
 protected:
  DeclaredFields() : VariantFile("declared") {}

  /// This rank's layers in a spread, as a box of a field.
  [[nodiscard]] Box mine(Spread spread = Spread::even) const {
    const Slice part = slice(spread, layers, comm_);
    return {{part.first, 0, 0}, {part.count, rows, columns}};
  }

  template <class Number>
  std::vector<ConstView> views(const Box& box, std::uint64_t components, std::vector<std::vector<Number>>& memory) {
    memory.clear();
    for (std::uint64_t c = 0; c < components; ++c) memory.push_back(values_of<Number>(box, c));
    return {memory.begin(), memory.end()};
  }

  void begin(WriteStep& step) {
    step.set("s", 0.5, "m");
    step.table().rows(mine().count[0]);
    layer_numbers_.resize(static_cast<std::size_t>(mine().count[0]), 4.5);
  }

  /// As many columns as there are lines that a row of text may have.
  void put_columns(WriteStep& step) {
    for (const std::string& name : column_names) step.put(name, ConstView(layer_numbers_));
  }

  void write_whole(Writer& out, std::int64_t number, const Box& box) {
    WriteStep step = out.step(number);
    begin(step);
    put_columns(step);
    std::vector<std::vector<double>> vectors;
    std::vector<std::vector<std::int32_t>> numbers;
    step.put_field(vector_field(), box, views(box, 3, vectors));
    step.put_field(index_field(), box, views(box, 1, numbers));
    step.commit();
  }

  /// Passes all parts to `take`, field by field.
  template <class Take>
  void for_parts(const std::vector<Box>& parts, Take&& take) {
    std::vector<std::vector<double>> vectors;
    std::vector<std::vector<std::int32_t>> numbers;
    for (const Box& part : parts) take("E", part, views(part, 3, vectors));
    for (const Box& part : parts) take("index", part, views(part, 1, numbers));
  }

  void declare(WriteStep& step, const Box& box) {
    begin(step);
    put_columns(step);
    step.declare_field(vector_field(), box);
    step.declare_field(index_field(), box);
  }

  void weigh(WriteStep& step, const std::vector<Box>& parts) {
    for_parts(parts, [&](const char* field, const Box& part, const std::vector<ConstView>& values) {
      step.weigh_field(field, part, values);
    });
  }
  void write(WriteStep& step, const std::vector<Box>& parts) {
    for_parts(parts, [&](const char* field, const Box& part, const std::vector<ConstView>& values) {
      step.write_field(field, part, values);
    });
  }

  /// A step with all elements, ready for its parts.
  void open_whole(WriteStep& step) {
    declare(step, mine());
    step.agree_on_rows();
    weigh(step, {mine()});
    step.open();
  }

  void write_parts(Writer& out, std::int64_t number, const Box& box, const std::vector<Box>& parts) {
    WriteStep step = out.step(number);
    declare(step, box);
    step.agree_on_rows();
    // Other parts than those that are written.
    weigh(step, by_layers(box));
    step.open();
    write(step, parts);
    step.commit();
  }

  std::vector<double> layer_numbers_;
};

/// Kinds of files that hold fields. Those with several chunks of a field are also compressed, so that parts split
/// chunks and ranks share them.
inline std::vector<Variant> variants_of_fields() {
  std::vector<Variant> all;
  for (const Variant& variant : variants()) {
    all.push_back(variant);
    if (!variant.options.contains("field_chunk")) continue;
    Variant& compressed = all.emplace_back(variant);
    compressed.options["filter"] = "deflate";
    compressed.index += 100;
  }
  StepDescription step;
  step.fields = {vector_field(), index_field()};
  std::erase_if(all, [&](const Variant& variant) {
    return variant.format->fit_with_presets({}, step).adapted.fields.size() != 2;
  });
  return all;
}

}  // namespace quire::test
