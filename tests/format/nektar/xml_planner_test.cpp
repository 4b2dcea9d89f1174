// Tests of the planner of fields in XML: the bytes do not depend on how rows are passed or how much text is kept.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/write/part_plan.hpp"
#include "format/nektar/xml/planner.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar::xml_planner_test {
namespace {

/// The files of a set by their numbers.
using Files = std::map<std::uint64_t, std::string>;

constexpr std::size_t uniform = 0, uniform_elements = 1, mixed = 2, mixed_elements = 3, tables = 4;
constexpr std::uint64_t largest_block = 2000;
constexpr std::uint64_t everything = std::uint64_t{1} << 40;

/// The elements of a rank: triangles of one order, and quadrilaterals of different orders.
struct Mesh {
  explicit Mesh(std::uint32_t rank, std::uint32_t elements) {
    for (std::uint32_t i = 0; i < elements; ++i) {
      ids[0].push_back(2 * (100 * rank + i));
      ids[1].push_back(2 * (100 * rank + elements - i) + 1);
      for (auto& direction : modes)
        direction.push_back(2 + (i + static_cast<std::uint32_t>(&direction - modes.data())) % 5);
      fill(0, 9);
      fill(1, modes[0].back() * modes[1].back());
    }
  }
  void fill(std::size_t block, std::uint32_t coefficients) {
    for (std::uint32_t k = 0; k < coefficients; ++k) {
      for (auto& variable : values[block]) variable.push_back(static_cast<float>(1 + variable.size() % 977) / 16);
    }
  }
  [[nodiscard]] StepDescription description() const {
    StepDescription step;
    const auto add = [&](const std::string& shape, const char* basis, std::vector<std::uint64_t> orders,
                         std::size_t b) {
      Expansion expansion;
      expansion.shape = shape;
      expansion.basis = {"Modified_A", basis};
      expansion.modes = std::move(orders);
      expansion.elements = shape + "_elements";
      Table table{shape, values[b][0].size(), {}, expansion};
      for (const char* name : {"u", "p"}) table.columns.push_back(column(name, Type::float64));
      Table elements{expansion.elements, ids[b].size(), {column("id", Type::uint32)}};
      for (std::size_t d = 0; d < 2 && expansion.is_mixed(); ++d) {
        elements.columns.push_back(column("modes_" + std::to_string(d), Type::uint32));
      }
      step.tables.push_back(std::move(table));
      step.tables.push_back(std::move(elements));
    };
    add("Triangle", "Modified_B", {3, 4}, 0);
    add("Quadrilateral", "Modified_A", {}, 1);
    return step;
  }
  static Column column(const std::string& name, Type type) {
    Column column;
    column.name = name;
    column.type = type;
    return column;
  }
  [[nodiscard]] std::vector<ConstView> views(std::size_t table) const {
    if (table == uniform_elements) return {ids[0]};
    if (table == mixed_elements) return {ids[1], modes[0], modes[1]};
    const auto& own = values[table == uniform ? 0 : 1];
    return {own[0], own[1]};
  }
  [[nodiscard]] StepPart part() const {
    StepPart part;
    part.description = description();
    for (std::size_t t = 0; t < tables; ++t) part.tables.push_back(views(t));
    return part;
  }

  std::array<std::vector<std::uint32_t>, 2> ids;
  std::array<std::vector<std::uint32_t>, 2> modes;
  std::array<std::array<std::vector<float>, 2>, 2> values;
};

/// Runs a plan like a transport, a few bytes at a time.
void run(const WritePlan& plan, Files& files) {
  constexpr std::uint64_t piece = 37;
  for (const WriteExtent& extent : plan.extents) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent.length));
    if (const auto* ready = std::get_if<const std::byte*>(&extent.source)) {
      std::copy_n(*ready, extent.length, bytes.begin());
    } else {
      auto& encoder = *std::get<std::shared_ptr<Encoder>>(extent.source);
      for (std::uint64_t done = 0; done < extent.length;) {
        const auto out = std::span(bytes).subspan(static_cast<std::size_t>(done));
        done += encoder.encode(done, out.first(std::min<std::size_t>(piece, out.size())));
      }
    }
    std::string& file = files[member_of(extent.offset)];
    const auto offset = static_cast<std::size_t>(offset_in(extent.offset));
    file.resize(std::max(file.size(), offset + bytes.size()));
    std::memcpy(file.data() + offset, bytes.data(), bytes.size());
  }
}

/// How rows are passed to a planner: all at once, or some at a time, table after table in this order.
struct Manner {
  std::uint64_t rows = 0;  ///< 0: all at once
  std::array<std::size_t, tables> order{uniform, uniform_elements, mixed, mixed_elements};
  std::uint64_t kept = everything;
  bool is_directory = false;
};

class Rank {
 public:
  Rank(const Mesh& mesh, const Manner& manner)
      : mesh_(mesh),
        manner_(manner),
        planner_({"5.6.0", "", "", "xml"}, manner.is_directory, {largest_block, manner.kept}),
        part_(mesh.part()) {
    part_.description = planner_.accept(part_.description, false);
    if (manner_.rows > 0) part_.tables.assign(tables, {});
  }
  void weigh() {
    if (manner_.rows == 0) return planner_.weigh(part_, false);
    in_pieces([&](std::size_t table, const std::vector<ConstView>& columns) {
      StepPart block = part_;
      block.tables[table] = columns;
      planner_.weigh(block, false);
    });
  }
  [[nodiscard]] Measure measure(bool root) const { return planner_.measure(part_, root); }
  void write(const Measure& before, const Measure& total, bool root, Files& files) {
    Placement placement = planner_.place(part_, before, total, root);
    title_bytes_ = placement.title.bytes();
    if (manner_.rows == 0) return run(whole_plan(part_, placement, false), files);
    run(placement.title, files);
    in_pieces([&](std::size_t table, const std::vector<ConstView>& columns) {
      if (!placement.weighed) return;
      WritePlan plan;
      placement.weighed->add(plan, table, columns, false);
      run(plan, files);
    });
  }
  void publish(const Measure& total, Files& files) {
    WritePlan plan;
    for (const PublishAct& act : planner_.publish(part_, total)) {
      const auto& write = std::get<PublishWrite>(act);
      plan.add(write.offset, std::span(write.bytes));
      run(plan, files);
    }
  }
  [[nodiscard]] std::uint64_t title_bytes() const noexcept { return title_bytes_; }

 private:
  template <class Use>
  void in_pieces(Use&& use) {
    for (const std::size_t table : manner_.order) {
      const std::vector<ConstView> all = mesh_.views(table);
      for (std::uint64_t first = 0; first < all.front().count; first += manner_.rows) {
        std::vector<ConstView> columns;
        for (const ConstView& view : all) {
          columns.push_back(view.part(first, std::min(manner_.rows, view.count - first)));
        }
        use(table, columns);
      }
    }
  }

  const Mesh& mesh_;
  Manner manner_;
  XmlPlanner planner_;
  StepPart part_;
  std::uint64_t title_bytes_ = 0;
};

/// The parts of two ranks.
Files written(const std::vector<Mesh>& meshes, const Manner& manner, std::uint64_t* title_bytes = nullptr) {
  std::vector<std::unique_ptr<Rank>> ranks;
  std::vector<Measure> measures;
  for (const Mesh& mesh : meshes) {
    ranks.push_back(std::make_unique<Rank>(mesh, manner));
    ranks.back()->weigh();
    measures.push_back(ranks.back()->measure(ranks.size() == 1));
  }
  const auto add = [](Measure& sum, const Measure& more) {
    sum.resize(more.size(), 0);
    for (std::size_t slot = 0; slot < more.size(); ++slot) sum[slot] += more[slot];
  };
  Measure total;
  for (const Measure& one : measures) add(total, one);
  Measure before(total.size(), 0);
  Files files;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank]->write(before, total, rank == 0, files);
    if (title_bytes != nullptr) *title_bytes += ranks[rank]->title_bytes();
    add(before, measures[rank]);
  }
  ranks.front()->publish(total, files);
  return files;
}

std::uint64_t size_of(const Files& files) {
  std::uint64_t sum = 0;
  for (const auto& [member, bytes] : files) sum += bytes.size();
  return sum;
}

TEST(XmlPlanner, BytesDoNotDependOnPiecesOrKeptText) {
  const std::vector<Mesh> meshes{Mesh(0, 60), Mesh(1, 31)};
  for (const bool is_directory : {false, true}) {
    const Files expected = written(meshes, {.is_directory = is_directory});
    ASSERT_EQ(expected.size(), is_directory ? 3U : 1U);
    const std::string& first = expected.at(is_directory ? 1 : 0);
    EXPECT_TRUE(first.ends_with("</ELEMENTS>\n</NEKTAR>\n"));
    EXPECT_GT(std::ranges::count(first, '>'), 20) << "several blocks of a kind";
    for (const std::uint64_t kept : {std::uint64_t{0}, std::uint64_t{3000}, everything}) {
      for (const std::uint64_t rows : {0, 1, 10, 130, 100000}) {
        for (const auto& order : {std::array{uniform, uniform_elements, mixed, mixed_elements},
                                  std::array{mixed_elements, mixed, uniform_elements, uniform}}) {
          EXPECT_EQ(written(meshes, {rows, order, kept, is_directory}), expected)
              << "directory " << is_directory << ", kept " << kept << ", rows " << rows << ", from " << order[0];
        }
      }
    }
  }
}

TEST(XmlPlanner, KeptTextIsLimited) {
  const std::vector<Mesh> meshes{Mesh(0, 60)};
  std::uint64_t all = 0;
  std::uint64_t some = 0;
  std::uint64_t none = 0;
  const std::uint64_t size = size_of(written(meshes, {.kept = everything}, &all));
  static_cast<void>(written(meshes, {.kept = 3000}, &some));
  static_cast<void>(written(meshes, {.kept = 0}, &none));
  EXPECT_EQ(all, size - std::string("</NEKTAR>\n").size());
  EXPECT_LE(some - none, 3000U);
  EXPECT_GT(some, none) << "kept text is not compressed twice";
  EXPECT_LT(none, all / 2) << "tags only";
}

TEST(XmlPlanner, RefusesRowsThatDifferFromThoseWeighed) {
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{10}}) {
    Mesh mesh(0, 40);
    Rank rank(mesh, {.rows = rows, .kept = 0});
    rank.weigh();
    const Measure total = rank.measure(true);
    for (std::size_t i = 0; i < mesh.values[0][0].size(); ++i) mesh.values[0][0][i] = static_cast<float>(i * i % 7919);
    Files files;
    try {
      rank.write(Measure(total.size(), 0), total, true, files);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("differ from those that were weighed"), std::string::npos)
          << error.what();
    }
  }
}

/// The error of weighing and measuring the part of a rank.
std::optional<Error> refusal_of(const Mesh& mesh, const Manner& manner) {
  try {
    Rank rank(mesh, manner);
    rank.weigh();
    static_cast<void>(rank.measure(true));
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

TEST(XmlPlanner, RefusesContradictoryElementsBeforeTheyArePlaced) {
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{7}}) {
    const Manner manner{.rows = rows, .kept = 0};
    EXPECT_FALSE(refusal_of(Mesh(0, 30), manner));
    Mesh twice(0, 30);
    twice.ids[1][20] = twice.ids[1][3];
    ASSERT_TRUE(refusal_of(twice, manner));
    EXPECT_EQ(refusal_of(twice, manner)->kind(), ErrorKind::usage);
    EXPECT_EQ(refusal_of(twice, manner)->object(), "Quadrilateral");
    Mesh other(0, 30);
    other.modes[0][29] += 1;
    ASSERT_TRUE(refusal_of(other, manner));
    EXPECT_EQ(refusal_of(other, manner)->kind(), ErrorKind::usage);
    Mesh few(0, 30);
    for (auto& variable : few.values[1]) variable.pop_back();
    EXPECT_TRUE(refusal_of(few, manner));
    for (auto& variable : few.values[1]) variable.resize(variable.size() + 5000);
    EXPECT_TRUE(refusal_of(few, manner)) << "more rows than the elements have";
  }
}

TEST(XmlPlanner, PlansWithoutData) {
  const Mesh mesh(0, 60);
  XmlPlanner planner({"5.6.0", "", "", "xml"}, false, {largest_block, 0});
  StepPart part = mesh.part();
  part.description = planner.accept(part.description, false);
  part.description.tables.resize(2);
  part.tables.resize(2);
  for (auto& columns : part.tables) {
    for (ConstView& view : columns) view.data = nullptr;
  }
  planner.weigh(part, false);
  const Measure total = planner.measure(part, true);
  const Placement placement = planner.place(part, Measure(total.size(), 0), total, true);
  const WritePlan plan = whole_plan(part, placement, false);
  EXPECT_EQ(plan.bytes(), placement.end);
  Files files;
  run(plan, files);
  EXPECT_EQ(files.at(0).size(), placement.end);
}

}  // namespace
}  // namespace quire::nektar::xml_planner_test
