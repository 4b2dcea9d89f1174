// The headers that need an MPI, and nothing that the installed package does not bring along.

#include "quire/comm/mpi.hpp"
#include "quire/quire.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  if (argc == 2) {
    quire::Reader in = quire::open(argv[1], quire::world());
    code = in.size() == 1 ? 0 : 1;
    in.close();
  }
  MPI_Finalize();
  return code;
}
