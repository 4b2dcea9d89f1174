// Fields that are declared and come in parts: the bytes are those of fields that are put whole, on any number of ranks,
// and what a rank does wrong with its parts is told to all of them, while earlier steps stay.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "quire/transport/faulty.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t layers = 11;
constexpr std::uint64_t rows = 7;
constexpr std::uint64_t columns = 5;

const std::vector<std::string> column_names{"layer_a", "layer_b", "layer_c"};

/// How a rank cuts its box into parts.
struct Cut {
  std::string name;
  std::function<std::vector<Box>(const Box& mine)> parts;
  bool in_order = true;  ///< as text needs them
};

std::vector<Box> whole_box(const Box& mine) { return {mine}; }

std::vector<Box> by_layers(const Box& mine) {
  std::vector<Box> parts;
  for (std::uint64_t layer = 0; layer < mine.count[0]; layer += 2) {
    Box part = mine;
    part.start[0] += layer;
    part.count[0] = std::min<std::uint64_t>(2, mine.count[0] - layer);
    parts.push_back(part);
  }
  return parts;
}

std::vector<Box> by_rows(const Box& mine) {
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

/// Towers along the slowest axis, the last one first, and an empty part.
std::vector<Box> by_towers_backwards(const Box& mine) {
  std::vector<Box> parts{{mine.start, {0, rows, columns}}};
  for (std::uint64_t column = columns; column-- > 0;) {
    parts.push_back({{mine.start[0], 0, column}, {mine.count[0], rows, 1}});
  }
  return parts;
}

const std::vector<Cut>& cuts() {
  static const std::vector<Cut> all{
      {"whole", whole_box}, {"layers", by_layers}, {"rows", by_rows}, {"towers", by_towers_backwards, false}};
  return all;
}

/// The values of a box of a component, each a function of its place in the field.
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

Field vector_field() {
  Field field;
  field.name = "E";
  field.type = Type::float64;
  field.unit = "V/m";
  field.extents = {layers, rows, columns};
  field.components = 3;
  return field;
}

Field index_field() {
  Field field = vector_field();
  field.name = "index";
  field.type = Type::int32;
  field.unit = "";
  field.components = 1;
  return field;
}

class DeclaredFields : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    comm_.set_deadline(std::chrono::seconds(60));
    options_ = GetParam().write_options();
    options_.transport = transport();
    options_.deadline = std::chrono::seconds(60);
    file_ = path("declared_" + GetParam().name());
  }

  /// This rank's layers in such a spread, as a box of a field.
  [[nodiscard]] Box mine(Spread spread = Spread::even) const {
    const Slice part = slice(spread, layers, comm_);
    return {{part.first, 0, 0}, {part.count, rows, columns}};
  }
  [[nodiscard]] bool holds_steps() const { return possible_steps(*GetParam().format, 2) == 2; }

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

  /// As many columns as lines that a row of text may take.
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

  /// Gives all parts to `take`, one field after the other.
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

  void write_parts(Writer& out, std::int64_t number, const Box& box, const std::vector<Box>& parts) {
    WriteStep step = out.step(number);
    declare(step, box);
    step.agree_on_rows();
    // Otherwise cut than what is written.
    weigh(step, by_layers(box));
    step.open();
    write(step, parts);
    step.commit();
  }

  Comm comm_ = everyone();
  WriteOptions options_;
  std::string file_;
  std::vector<double> layer_numbers_;
};

TEST_P(DeclaredFields, TheBytesAreThoseOfFieldsThatArePutWhole) {
  for (const Spread spread : {Spread::even, Spread::first_has_nothing, Spread::last_has_nothing}) {
    const std::string whole = file_ + "." + name(spread);
    Writer usual = create(whole, comm_, options_);
    for (std::int64_t number = 0; number < (holds_steps() ? 2 : 1); ++number) write_whole(usual, number, mine(spread));
    usual.close();
    for (const Cut& cut : cuts()) {
      const std::string file = whole + "." + cut.name;
      Writer out = create(file, comm_, options_);
      const bool may_be_text = out.weighs_values();
      const auto error = error_of([&] { write_parts(out, 0, mine(spread), cut.parts(mine(spread))); });
      if (error && may_be_text && !cut.in_order) {
        EXPECT_EQ(error->kind(), ErrorKind::usage) << error->what();
        EXPECT_NE(error->message().find("goes on behind the one before"), std::string::npos) << error->what();
        out.close();
        continue;
      }
      ASSERT_FALSE(error) << cut.name << ": " << error->what();
      if (holds_steps()) write_whole(out, 1, mine(spread));
      out.close();
      EXPECT_EQ(bytes_of(file), bytes_of(whole)) << name(spread) << " " << cut.name;
    }
  }
}

TEST_P(DeclaredFields, StandBesideDeclaredColumnsAndFieldsThatArePut) {
  const Box box = mine();
  Writer usual = create(file_ + ".usual", comm_, options_);
  write_whole(usual, 0, box);
  usual.close();
  Writer out = create(file_, comm_, options_);
  {
    WriteStep step = out.step(0);
    begin(step);
    for (const std::string& name : column_names) {
      Column layer;
      layer.name = name;
      layer.type = Type::float64;
      step.declare(layer);
    }
    step.declare_field(vector_field(), box);
    std::vector<std::vector<std::int32_t>> numbers;
    step.put_field(index_field(), box, views(box, 1, numbers));
    step.agree_on_rows();
    const std::vector<ConstView> column(column_names.size(), ConstView(layer_numbers_));
    std::vector<std::vector<double>> vectors;
    step.weigh("", column);
    step.weigh_field("E", box, views(box, 3, vectors));
    step.open();
    for (const Box& part : by_layers(box)) step.write_field("E", part, views(part, 3, vectors));
    step.write("", 0, column);
    step.commit();
  }
  out.close();
  EXPECT_EQ(bytes_of(file_), bytes_of(file_ + ".usual"));
}

TEST_P(DeclaredFields, ElementsOutsideOfAllBoxesAreZeros) {
  Box box = mine();
  box.count[1] = rows - 2;
  const auto error = error_of([&] {
    Writer out = create(file_, comm_, options_);
    write_parts(out, 0, box, {box});
    out.close();
  });
  if (error) {
    // Text has no places for them: it is told of boxes that are put.
    EXPECT_EQ(error->kind(), ErrorKind::unsupported) << error->what();
    return;
  }
  Reader in = open(file_, comm_);
  const Box all = whole(vector_field().extents);
  std::vector<std::int32_t> found(volume(all.count), -1);
  in.step(0).read_field("index", all, {found});
  const std::vector<std::int32_t> wanted = values_of<std::int32_t>(all, 0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_written = i / columns % rows < rows - 2;
    ASSERT_EQ(found[i], is_written ? wanted[i] : 0) << "element " << i;
  }
  in.close();
}

/// What all ranks are told of a step that went wrong between its parts. The step before it stays, and a further one can
/// be written.
class RefusedParts : public DeclaredFields {
 protected:
  void SetUp() override {
    DeclaredFields::SetUp();
    options_.transport = WriteOptions().transport;
  }

  /// `work` gets a declared step of which nothing is weighed.
  Error refused(const std::function<void(WriteStep&)>& work) {
    Writer out = create(file_, comm_, options_);
    const std::int64_t last = holds_steps() ? 1 : 0;
    if (holds_steps()) write_whole(out, 0, mine());
    const auto error = error_of([&] {
      WriteStep step = out.step(last);
      declare(step, mine());
      work(step);
    });
    write_whole(out, last, mine());
    out.close();
    Writer usual = create(file_ + ".usual", comm_, options_);
    for (std::int64_t number = 0; number <= last; ++number) write_whole(usual, number, mine());
    usual.close();
    EXPECT_EQ(content(file_), content(file_ + ".usual"));
    if (error) return *error;
    ADD_FAILURE() << "no error";
    return {ErrorKind::internal, "none"};
  }

  /// The same for a step that is weighed and opened.
  Error refused_parts(const std::function<void(WriteStep&)>& work) {
    return refused([&](WriteStep& step) {
      step.agree_on_rows();
      weigh(step, {mine()});
      step.open();
      work(step);
    });
  }

  /// All values of a field in a file, step by step.
  std::vector<std::int32_t> content(const std::string& file) {
    std::vector<std::int32_t> all;
    Reader in = open(file, comm_);
    for (std::uint64_t i = 0; i < in.size(); ++i) {
      std::vector<std::int32_t> values(volume(index_field().extents));
      in.at(i).read_field("index", whole(index_field().extents), {values});
      all.insert(all.end(), values.begin(), values.end());
    }
    in.close();
    return all;
  }

  void write_field(WriteStep& step, const Box& part) {
    std::vector<std::vector<double>> vectors;
    step.write_field("E", part, views(part, 3, vectors));
  }
};

void expect_usage(const Error& error, const std::string& words) {
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
  EXPECT_EQ(error.object(), "E") << error.what();
}

TEST_P(RefusedParts, OutsideOfTheDeclaredBox) {
  expect_usage(refused_parts([&](WriteStep& step) {
                 Box part = mine();
                 part.start[0] += 1;
                 write_field(step, part);
                 write(step, {mine()});
                 step.commit();
               }),
               "is not inside of this rank's box");
}

TEST_P(RefusedParts, Twice) {
  expect_usage(refused_parts([&](WriteStep& step) {
                 write_field(step, mine());
                 Box part = mine();
                 part.count = {1, 1, 1};
                 write_field(step, part);
                 step.commit();
               }),
               "have come already");
}

TEST_P(RefusedParts, MissingAtTheCommit) {
  expect_usage(refused_parts([&](WriteStep& step) {
                 Box part = mine();
                 part.count[0] -= 1;
                 write_field(step, part);
                 step.commit();
               }),
               "not all elements of the field were written");
}

TEST_P(RefusedParts, WithoutOpen) {
  const Error error = refused([](WriteStep& step) { step.commit(); });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_NE(error.message().find("not all elements"), std::string::npos) << error.what();
}

TEST_P(RefusedParts, BeforeOpen) {
  expect_usage(refused([&](WriteStep& step) {
                 const auto early = error_of([&] { write_field(step, mine()); });
                 step.abort("too early");
                 throw *early;
               }),
               "before open");
}

TEST_P(RefusedParts, OfAFieldThatWasNotDeclared) {
  const Error error = refused_parts([&](WriteStep& step) {
    std::vector<std::vector<double>> vectors;
    step.write_field("B", mine(), views(mine(), 3, vectors));
    step.commit();
  });
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_EQ(error.object(), "B") << error.what();
}

TEST_P(RefusedParts, OfAnotherTypeOrLength) {
  const auto refuse = [&](const std::vector<ConstView>& values) {
    return refused_parts([&](WriteStep& step) {
      step.write_field("E", mine(), values);
      step.commit();
    });
  };
  std::vector<std::vector<float>> floats;
  expect_usage(refuse(views(mine(), 3, floats)), "was declared as float64");
  std::vector<std::vector<double>> vectors;
  std::vector<ConstView> values = views(mine(), 3, vectors);
  values[1] = ConstView(std::span(vectors[1]).first(vectors[1].size() - 1));
  expect_usage(refuse(values), "values where the part has");
  values.pop_back();
  expect_usage(refuse(values), "each of the 3 components");
}

TEST_P(RefusedParts, AbortedBetweenThem) {
  const Error error = refused_parts([&](WriteStep& step) {
    if (comm_.rank() == comm_.size() - 1) {
      write_field(step, by_layers(mine()).front());
      step.abort("enough");
      throw Error(ErrorKind::aborted, "enough");
    }
    write(step, {mine()});
    step.commit();
  });
  EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
  EXPECT_NE(error.message().find("enough"), std::string::npos) << error.what();
}

TEST_P(RefusedParts, AbortedWhileTheyAreWeighed) {
  const Error error = refused([&](WriteStep& step) {
    step.agree_on_rows();
    if (comm_.rank() == comm_.size() - 1) {
      step.abort("enough");
      throw Error(ErrorKind::aborted, "enough");
    }
    weigh(step, by_layers(mine()));
    step.open();
    step.commit();
  });
  EXPECT_EQ(error.kind(), ErrorKind::aborted) << error.what();
  EXPECT_NE(error.message().find("enough"), std::string::npos) << error.what();
}

TEST_P(RefusedParts, AFaultOfTheSystemBetweenThem) {
  if (!holds_steps()) return;
  Writer first = create(file_, comm_, options_);
  write_whole(first, 0, mine());
  first.close();
  const std::vector<std::int32_t> before = content(file_);
  options_.wrapper = [](std::unique_ptr<Transport> inner, const std::string&, int rank) {
    return rank == 0
               ? faulty(std::move(inner), {.after_bytes = 300, .error_number = 28, .on_read = false, .on_sync = false})
               : std::move(inner);
  };
  Writer out = append(file_, comm_, {}, Later::refuse, options_);
  const auto error = error_of([&] { write_parts(out, 1, mine(), by_rows(mine())); });
  // The disk still fails; what counts is what is in the file.
  static_cast<void>(error_of([&] { out.close(); }));
  comm_.barrier();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
  EXPECT_EQ(content(file_), before);
}

TEST_P(RefusedParts, DeclaredHereAndPutElsewhere) {
  if (comm_.size() == 1) return;
  Writer out = create(file_, comm_, options_);
  const auto conflict = error_of([&] {
    WriteStep step = out.step(0);
    if (comm_.rank() == 0) {
      declare(step, mine());
    } else {
      begin(step);
      put_columns(step);
      std::vector<std::vector<double>> vectors;
      std::vector<std::vector<std::int32_t>> numbers;
      step.put_field(vector_field(), mine(), views(mine(), 3, vectors));
      step.put_field(index_field(), mine(), views(mine(), 1, numbers));
    }
    step.agree_on_rows();
    if (comm_.rank() == 0) weigh(step, {mine()});
    step.open();
    step.commit();
  });
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->kind(), ErrorKind::conflict) << conflict->what();
  EXPECT_NE(conflict->message().find("declared"), std::string::npos) << conflict->what();
  write_whole(out, 0, mine());
  out.close();
}

TEST_P(RefusedParts, ThatWereNotWeighed) {
  Writer out = create(file_ + ".asks", comm_, options_);
  const bool asks = out.weighs_values();
  out.close();
  if (!asks) return;
  const auto open_after = [&](const std::function<void(WriteStep&)>& work) {
    return refused([&](WriteStep& step) {
      step.agree_on_rows();
      work(step);
      step.open();
      write(step, {mine()});
      step.commit();
    });
  };
  expect_usage(open_after([&](WriteStep& step) {
                 std::vector<std::vector<std::int32_t>> numbers;
                 step.weigh_field("index", mine(), views(mine(), 1, numbers));
               }),
               "not all elements were weighed");
  expect_usage(open_after([&](WriteStep& step) {
                 weigh(step, {mine()});
                 std::vector<std::vector<double>> vectors;
                 step.weigh_field("E", mine(), views(mine(), 3, vectors));
               }),
               "have come already");
}

TEST_P(RefusedParts, TextsThatAreDeclared) {
  const Error error = refused([](WriteStep& step) {
    Field texts;
    texts.name = "texts";
    texts.type = Type::string;
    texts.extents = {2};
    step.declare_field(texts, Box{{0}, {0}});
    step.commit();
  });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
  EXPECT_NE(error.advice(), "") << error.what();
}

/// Kinds of files that hold fields.
std::vector<Variant> variants_of_fields() {
  std::vector<Variant> all = variants();
  StepDescription step;
  step.fields = {vector_field(), index_field()};
  std::erase_if(all, [&](const Variant& variant) { return variant.format->fit({}, step).adapted.fields.size() != 2; });
  return all;
}

std::string name_of(const testing::TestParamInfo<Variant>& info) { return info.param.name(); }

INSTANTIATE_TEST_SUITE_P(Variants, DeclaredFields, testing::ValuesIn(variants_of_fields()), name_of);
INSTANTIATE_TEST_SUITE_P(Variants, RefusedParts, testing::ValuesIn(variants_of_fields()), name_of);

}  // namespace
}  // namespace quire::test
