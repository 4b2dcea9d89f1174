!> The same without MPI.
program stop_serial_test
  use quire
  implicit none (type, external)
  type(quire_reader) :: in
  call quire_open(in, "absent.h5")
end program stop_serial_test
