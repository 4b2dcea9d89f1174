// Fields that are declared and written in parts: the bytes are those of fields written whole, on any number of ranks.

#include "declared_fields.hpp"

namespace quire::test::declared_fields_test {
namespace {

TEST_P(DeclaredFields, TheBytesAreThoseOfFieldsWrittenWhole) {
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
        EXPECT_NE(error->message().find("continues the previous one"), std::string::npos) << error->what();
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

TEST_P(DeclaredFields, CanBeMixedWithDeclaredColumnsAndWholeFields) {
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

TEST_P(DeclaredFields, ElementsOutsideAllBoxesAreZeros) {
  Box box = mine();
  box.count[1] = rows - 2;
  const auto error = error_of([&] {
    Writer out = create(file_, comm_, options_);
    // The space does not hold zeros before.
    WriteStep before = out.step(0);
    open_whole(before);
    write(before, {mine()});
    before.abort("another try");
    write_parts(out, 0, box, {box});
    out.close();
  });
  if (error) {
    // Text formats have no positions: they accept only fields that are put whole.
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

INSTANTIATE_TEST_SUITE_P(Variants, DeclaredFields, testing::ValuesIn(variants_of_fields()), name_of);

}  // namespace
}  // namespace quire::test::declared_fields_test
