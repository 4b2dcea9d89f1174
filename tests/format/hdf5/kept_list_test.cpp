// Property lists that a process creates once are shared by all files, and created again after a program has closed
// HDF5.

#include "format/hdf5/library/kept_list.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"

namespace quire::hdf5::kept_list_test {
namespace {

int made = 0;

Handle make() {
  ++made;
  return own(H5Pcreate(H5P_GROUP_CREATE), "create a list");
}

TEST(KeptListTest, IsCreatedAgainAfterTheLibraryWasClosed) {
  KeptList kept("quire: test", make);
  EXPECT_EQ(kept.get().id(), kept.get().id());
  EXPECT_EQ(made, 1);
  H5close();
  // Another list gets its identifier.
  std::vector<Handle> others;
  for (int i = 0; i < 100; ++i) others.push_back(own(H5Pcreate(H5P_DATASET_CREATE), "create a list"));
  const Handle again = kept.get();
  EXPECT_EQ(made, 2);
  EXPECT_GT(H5Pisa_class(again.id(), H5P_GROUP_CREATE), 0);
  EXPECT_EQ(kept.get().id(), again.id());
}

TEST(KeptListTest, FilesAreTheSameAfterTheLibraryWasClosed) {
  const std::vector<double> x{1, 2, 3};
  const auto written = [&](const std::string& name) {
    const std::string path = test::path(name);
    WriteOptions options;
    options.format = "hdf5";
    Writer out = create(path, Comm::self(), options);
    out.write_step(0, [&](WriteStep& step) { step.put("x", ConstView(x)); });
    out.close();
    return test::bytes_of(path);
  };
  const auto before = written("before.h5");
  EXPECT_FALSE(before.empty());
  H5close();
  EXPECT_TRUE(written("after.h5") == before);
}

}  // namespace
}  // namespace quire::hdf5::kept_list_test
