// Each rank writes a data set of its own into one file: every rank says what all of them are, and puts its elements
// into one.
//
//     mpiexec -n 4 own_data_sets --output sets.h5

#include <string>

#include "session.hpp"

namespace {

constexpr std::uint64_t elements = 1000;

std::vector<double> values_of(int rank) {
  std::vector<double> values(elements);
  for (std::uint64_t i = 0; i < elements; ++i) values[i] = static_cast<double>(rank) + 1e-3 * static_cast<double>(i);
  return values;
}

std::string name_of(int rank) { return "of_rank_" + std::to_string(rank); }

bool work(const quire::Comm& comm, const patterns::Start& start) {
  const std::vector<double> mine = values_of(comm.rank());
  quire::Writer out = quire::create(start.output, comm, start.options);
  quire::WriteStep step = out.step(0);
  for (int rank = 0; rank < comm.size(); ++rank) {
    quire::Field field;
    field.name = name_of(rank);
    field.extents = {1, 1, elements};
    if (rank == comm.rank()) {
      step.put_field(field, quire::whole(field.extents), {mine});
    } else {
      step.put_field(field, {}, {std::span<const double>()});  // nothing of this one
    }
  }
  step.commit();
  out.close();

  // Each rank reads that of its neighbour.
  const int neighbour = (comm.rank() + 1) % comm.size();
  quire::Reader in = quire::open(start.output, comm, patterns::reading(start));
  std::vector<double> found(elements);
  const quire::ReadStep first = in.at(0);
  first.read_field(name_of(neighbour), quire::Box{{0, 0, 0}, {1, 1, elements}}, {found});
  in.close();
  quire::Comm everyone = comm;
  std::uint64_t wrong = found == values_of(neighbour) ? 0 : 1;
  everyone.sum(std::span(&wrong, 1));
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) { return patterns::main_of(argc, argv, "A data set for each rank, in one file", work); }
