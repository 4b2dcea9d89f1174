# Finds the MPI of QUIRE_MPI_FLAVOUR, with QUIRE_MPI.

if(QUIRE_MPI)
  # Plain mpicc and mpiexec may belong to another MPI: ask for the flavour by its suffix.
  if(NOT MPI_C_COMPILER)
    find_program(MPI_C_COMPILER NAMES mpicc.${QUIRE_MPI_FLAVOUR} mpicc DOC "MPI compiler wrapper")
  endif()
  if(NOT MPIEXEC_EXECUTABLE)
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${QUIRE_MPI_FLAVOUR} mpiexec DOC "Starter of MPI programs")
  endif()
  find_package(MPI 3.1 REQUIRED COMPONENTS C)
  message(STATUS "MPI: ${QUIRE_MPI_FLAVOUR}, ${MPI_C_COMPILER}, ${MPIEXEC_EXECUTABLE}")
endif()
