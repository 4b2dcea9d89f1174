!> Ends by an error of a call without `stat`: tests/fortran/test_programs.py starts it.
program stop_test
  use mpi_f08
  use quire_mpi
  implicit none (type, external)
  type(quire_reader) :: in
  call MPI_Init()
  call quire_open(in, "absent.h5", MPI_COMM_WORLD)
  call MPI_Finalize()
end program stop_test
