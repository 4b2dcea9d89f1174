!> Reads what the client in C++ wrote with nothing but the installed modules and libraries.
program client
  use, intrinsic :: iso_fortran_env, only: real64
  use quire
  implicit none (type, external)
  type(quire_reader) :: in
  character(len=200) :: path
  real(real64) :: x(3)

  call get_command_argument(1, path)
  call quire_open(in, trim(path))
  call in%step(0)
  call in%read("x", x)
  call in%close()
  if (abs(sum(x) - 7.5_real64) > 0) error stop "different"
end program client
