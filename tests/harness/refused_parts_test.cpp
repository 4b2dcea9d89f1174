// An error of one rank in the parts of a declared field is raised on all ranks, while earlier steps stay.

#include <functional>
#include <optional>

#include "declared_fields.hpp"
#include "transport/faulty.hpp"

namespace quire::test::refused_parts_test {
namespace {

/// Like index_field(), with another name.
Field late_field() {
  Field field = index_field();
  field.name = "late";
  return field;
}

/// The error of all ranks for a step that failed between its parts. The step before it stays, and a further one can be
/// written.
class RefusedParts : public DeclaredFields {
 protected:
  RefusedParts() { options_.transport = WriteOptions().transport; }

  /// `work` gets a declared step that is not weighed yet.
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

  /// The same for a step that is weighed and open.
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
               "is not inside this rank's declared box");
}

TEST_P(RefusedParts, Twice) {
  expect_usage(refused_parts([&](WriteStep& step) {
                 write_field(step, mine());
                 Box part = mine();
                 part.count = {1, 1, 1};
                 write_field(step, part);
                 step.commit();
               }),
               "were already written");
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

TEST_P(RefusedParts, OfAFinishedStep) {
  Writer out = create(file_, comm_, options_);
  WriteStep step = out.step(0);
  open_whole(step);
  write(step, {mine()});
  step.commit();
  const auto error = error_of([&] { write_field(step, mine()); });
  ASSERT_TRUE(error);
  expect_usage(*error, "the step is finished");
  EXPECT_NE(error->advice(), "") << error->what();
  out.close();
}

TEST_P(RefusedParts, OfAnUndeclaredField) {
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

TEST_P(RefusedParts, AnIoErrorBetweenThem) {
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
  // The disk still fails; only the contents of the file count.
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

TEST_P(RefusedParts, DeclaredAfterPartsAreWeighed) {
  // Values of the file are weighed: objects declared later would not be counted.
  Writer asked = create(file_ + ".asks", comm_, options_);
  const bool asks = asked.weighs_values();
  asked.close();
  if (!asks) return;
  const std::vector<std::function<void(WriteStep&)>> late{
      [&](WriteStep& step) { step.declare_field(late_field(), mine()); },
      [&](WriteStep& step) {
        std::vector<std::vector<std::int32_t>> numbers;
        step.put_field(late_field(), mine(), views(mine(), 1, numbers));
      },
      [](WriteStep& step) { step.set("late", 1.0); },
      [](WriteStep& step) { step.table("late"); },
      [&](WriteStep& step) { step.rows(mine().count[0]); },
      [&](WriteStep& step) { step.put("late", ConstView(layer_numbers_)); },
      [](WriteStep& step) {
        Column column;
        column.name = "late";
        step.declare(column);
      }};
  for (const auto& call : late) {
    const Error error = refused([&](WriteStep& step) {
      step.agree_on_rows();
      weigh(step, {mine()});
      const auto too_late = error_of([&] { call(step); });
      step.abort("too late");
      throw too_late ? *too_late : Error(ErrorKind::internal, "it was accepted");
    });
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    EXPECT_NE(error.message().find("comes too late"), std::string::npos) << error.what();
    EXPECT_NE(error.advice().find("before agree_on_rows()"), std::string::npos) << error.advice();
  }
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
               "were already written");
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

INSTANTIATE_TEST_SUITE_P(Variants, RefusedParts, testing::ValuesIn(variants_of_fields()), name_of);

}  // namespace
}  // namespace quire::test::refused_parts_test
