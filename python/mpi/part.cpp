// Adds MPI to the library that the package `quire` has loaded.
#include <Python.h>

#include "comm/mpi_part.hpp"
#include "transport/factory.hpp"

namespace {

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "quire_mpi._part",
                      "The part of Quire for MPI.",
                      -1,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__part() {
  quire::set_mpi_part(*quire::linked_mpi());
  quire::add_mpi_transports(quire::linked_mpi_transports());
  return PyModule_Create(&module);
}
