// Attachments of H5Part: files inside the file, of any writer, kept, replaced and dropped with publications.

#include <gtest/gtest.h>

#include <string_view>

#include "format/h5part/format.hpp"
#include "format/hdf5/sha256.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::test::attachments_test {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Bytes content(Describer& describer, const std::string& name) {
  for (const Attachment& attachment : describer.file().attachments) {
    if (attachment.name != name) continue;
    Bytes bytes(static_cast<std::size_t>(attachment.bytes));
    describer.capabilities().attachments->read_attachment(name, 0, bytes);
    return bytes;
  }
  ADD_FAILURE() << "there is no attachment " << name;
  return {};
}

std::vector<std::string> names(const Describer& describer) {
  std::vector<std::string> all;
  for (const Attachment& attachment : describer.file().attachments) all.push_back(attachment.name);
  return all;
}

std::optional<ErrorKind> kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST(Attachments, OfTheReferenceAreRead) {
  const auto describer = describe(vector_bytes("part_attach_1rank.h5"));
  ASSERT_EQ(names(*describer), (std::vector<std::string>{"map.bin", "run.in"}));
  EXPECT_EQ(sha256(content(*describer, "map.bin")), "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880");
  EXPECT_EQ(sha256(content(*describer, "run.in")), "660712f844ec48ef29686438d8467221c0f5d137ca8ba1a4f03643dd99597bda");
  EXPECT_EQ(content(*describer, "run.in").size(), 30U);
  EXPECT_TRUE(describer->file().warnings.empty()) << describer->file().warnings.front();
  Bytes part(5);
  describer->capabilities().attachments->read_attachment("map.bin", 100, part);
  const Bytes whole = content(*describer, "map.bin");
  EXPECT_EQ(part, Bytes(whole.begin() + 100, whole.begin() + 105));
}

TEST(Attachments, AreWrittenWithTheNextStepOrAtClose) {
  Bytes reference;
  for (int ranks = 1; ranks <= 3; ++ranks) {
    Simulation simulation(ranks);
    simulation.root().capabilities().attachments->attach("run.in", bytes_of("all of it\n"), false);
    simulation.root().capabilities().attachments->attach("empty", bytes_of(""), false);
    simulation.write(sample_step(0, 20000));
    EXPECT_EQ(names(*describe(simulation.share())), (std::vector<std::string>{"empty", "run.in"}));
    simulation.write(sample_step(1, 3));
    simulation.root().capabilities().attachments->attach("late", Bytes(300000, std::byte{7}), false);
    simulation.finish();
    const auto describer = describe(simulation.share());
    EXPECT_EQ(names(*describer), (std::vector<std::string>{"empty", "late", "run.in"}));
    EXPECT_EQ(content(*describer, "run.in"), bytes_of("all of it\n"));
    EXPECT_EQ(content(*describer, "late"), Bytes(300000, std::byte{7}));
    EXPECT_EQ(content(*describer, "empty"), Bytes());
    expect_sample(simulation.file(), *describer, 0, 0, 20000);
    expect_sample(simulation.file(), *describer, 1, 1, 3);
    if (ranks == 1) reference = simulation.file().bytes;
    EXPECT_EQ(simulation.file().bytes, reference) << ranks << " ranks";
  }
}

TEST(Attachments, MayBeTheOnlyContents) {
  Simulation simulation(2);
  simulation.root().capabilities().attachments->attach("only", bytes_of("this"), false);
  simulation.finish();
  const auto describer = describe(simulation.share());
  EXPECT_EQ(describer->steps(), 0U);
  EXPECT_EQ(content(*describer, "only"), bytes_of("this"));
  EXPECT_TRUE(h5part_format().owns(simulation.share())) << "its steps are not written yet";
}

TEST(Attachments, AreReplacedAndDroppedOnRequestOnly) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("part_attach_1rank.h5"));
  const std::vector<double> x = column_values(*file, *describe(file), 0, "x");
  Simulation simulation(1, file, {}, false);
  AttachmentWriter& attachments = *simulation.root().capabilities().attachments;
  EXPECT_EQ(kind_of([&] { attachments.attach("run.in", bytes_of("new"), false); }), ErrorKind::conflict);
  EXPECT_EQ(kind_of([&] { attachments.attach("gone", std::nullopt, true); }), ErrorKind::missing);
  for (const std::string name : {"", "a/b", "../up", "."}) {
    EXPECT_EQ(kind_of([&] { attachments.attach(name, bytes_of("x"), false); }), ErrorKind::usage) << name;
  }
  attachments.attach("run.in", bytes_of("new"), true);
  attachments.attach("map.bin", std::nullopt, true);
  attachments.attach("never", bytes_of("here"), false);
  attachments.attach("never", std::nullopt, true);
  simulation.write(sample_step(1, 40));
  const auto describer = describe(file);
  EXPECT_EQ(names(*describer), (std::vector<std::string>{"run.in"}));
  EXPECT_EQ(content(*describer, "run.in"), bytes_of("new"));
  EXPECT_EQ(column_values(*file, *describer, 0, "x"), x);
  expect_sample(*file, *describer, 1, 1, 40);
}

TEST(Attachments, AreKeptForTheNextPublicationAfterAFailure) {
  Simulation simulation(2);
  simulation.write(sample_step(0, 5));
  simulation.root().capabilities().attachments->attach("kept", bytes_of("bytes"), false);
  static_cast<void>(simulation.prepare(sample_step(1, 50)));
  simulation.conclude(false);
  EXPECT_TRUE(names(*describe(simulation.share())).empty());
  simulation.write(sample_step(2, 6));
  const auto describer = describe(simulation.share());
  EXPECT_EQ(content(*describer, "kept"), bytes_of("bytes"));
  expect_sample(simulation.file(), *describer, 1, 2, 6);
}

TEST(Attachments, MissingOnesAreErrors) {
  const auto describer = describe(vector_bytes("part_attach_1rank.h5"));
  EXPECT_TRUE(describer->file().warnings.empty());
  EXPECT_EQ(kind_of([&] {
              Bytes none(1);
              describer->capabilities().attachments->read_attachment("missing", 0, none);
            }),
            ErrorKind::bad_file);
  Bytes beyond(10);
  EXPECT_EQ(kind_of([&] { describer->capabilities().attachments->read_attachment("run.in", 25, beyond); }),
            ErrorKind::usage);
}

}  // namespace
}  // namespace quire::test::attachments_test
