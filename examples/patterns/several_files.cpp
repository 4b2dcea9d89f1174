// Different files on different communicators: the ranks split into two groups, and each group writes a file of its own
// at the same time. All ranks read both afterwards.
//
//     mpiexec -n 4 several_files --output part.h5     (writes part.0.h5 and part.1.h5)

#include <filesystem>
#include <string>

#include "session.hpp"

namespace {

bool work(const quire::Comm& comm, const patterns::Start& start) {
  quire::Comm everyone = comm;
  const int groups = comm.size() == 1 ? 1 : 2;
  const int group = comm.rank() % groups;
  const quire::Comm mine = everyone.split(group, comm.rank());
  const auto part_of = [&](int number) {
    patterns::Start part = start;
    const std::filesystem::path whole = start.output;
    const std::string name = whole.stem().string() + "." + std::to_string(number) + whole.extension().string();
    part.output = (whole.parent_path() / name).string();
    return part;
  };
  // One group by rows, the other by columns: the files hold the same all the same.
  bool is_right = patterns::write_and_read(patterns::all()[static_cast<std::size_t>(group)], mine, part_of(group));
  everyone.barrier();
  for (int number = 0; number < groups; ++number) {
    quire::Reader in = quire::open(part_of(number).output, comm, patterns::reading(start));
    const quire::ReadStep step = in.at(0);
    std::vector<double> found(patterns::extents[0] * patterns::extents[1]);
    step.read_field("array", quire::whole(step.description().fields.at(0).extents), {found});
    is_right = is_right && found == patterns::values_of(quire::whole(patterns::extents));
    in.close();
  }
  std::uint64_t wrong = is_right ? 0 : 1;
  everyone.sum(std::span(&wrong, 1));
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) { return patterns::main_of(argc, argv, "A file for each group of ranks", work); }
