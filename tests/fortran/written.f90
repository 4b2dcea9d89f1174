!> Writes a file that tests/fortran/test_programs.py also writes in Python: written PATH FORMAT
program written
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08
  use quire_mpi
  implicit none (type, external)
  integer(int64), parameter :: rows = 10
  integer, parameter :: extents(3) = [4, 3, 2]
  type(quire_writer) :: out
  type(quire_options) :: options
  real(real64), allocatable, target :: x(:)
  real(real32), allocatable, target :: w(:)
  integer(int32), allocatable, target :: id(:)
  real(real64), target :: phi(4, 3, 2)
  integer(int64) :: first, count, i
  integer :: rank, ranks, number, slices, stat, j, k, l

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  options%format = argument(2)
  call quire_share(rows, rank, ranks, first, count)
  x = [(0.1_real64 * real(i, real64), i=first, first + count - 1)]
  w = real(2 * x, real32)
  id = [(int(i, int32), i=first, first + count - 1)]
  phi = reshape([(((real(j + 10 * k + 100 * l, real64), j=1, 4), k=1, 3), l=1, 2)], extents)
  slices = merge(2, 0, rank == 0)  ! the first rank has the whole field

  call quire_create(out, argument(1), MPI_COMM_WORLD, options)
  call out%set_title("From Fortran", "particles")
  call out%set("seed", 42_int64)
  call out%attach("input.nml", "&run turns = 20 /", stat=stat)
  if (stat /= quire_ok .and. stat /= quire_unsupported) error stop "attach"
  do number = 0, 10, 10
    call out%step(number)
    call out%set("time", 0.5_real64 * number, unit="s")
    call out%set("code", "written")
    call out%set_description("position", symbol="X")
    call out%put("x", x, unit="m")
    call out%put("w", w)
    call out%put("id", id)
    call out%put_field("phi", phi(:, :, 1:slices), extents, unit="V")
    call out%commit()
  end do
  call out%close()
  call MPI_Finalize()

contains

  function argument(index) result(text)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(index, length=length)
    allocate (character(len=length) :: text)
    call get_command_argument(index, text)
  end function argument
end program written
