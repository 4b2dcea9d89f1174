!> The ways in which the ranks of a program share one array, those of the tutorial of Parallel HDF5, in Fortran:
!>
!>     mpiexec -n 4 patterns_fortran by_columns array.h5
!>
!> Each says which elements of the array are this rank's: how many along each axis, where the first one is, and how far
!> they are apart. Nothing else changes: the file is that of patterns.cpp, for any number of ranks.
program patterns_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use quire_mpi
  implicit none (type, external)

  !> The array, columns first: its rows follow each other in the file.
  integer(int64), parameter :: columns = 16, rows = 12
  !> Columns and rows of the chunks by which by_chunks shares it.
  integer(int64), parameter :: chunk(2) = [4, 3]

  type(quire_writer) :: out
  type(quire_reader) :: in
  type(quire_options) :: options
  real(real64), allocatable, target :: mine(:, :)
  real(real64), allocatable :: found(:, :)
  integer(int64) :: start(2), stride(2), count(2), i, j
  integer :: rank, ranks, wrong

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  stride = 1
  select case (argument(1))
  case ("by_rows")
    call by_rows()
  case ("by_columns")
    call by_columns()
  case ("by_pattern")
    call by_pattern()
  case ("by_chunks")
    call by_chunks()
    call options%set("field_chunk", "3x4")  ! in the order of the file: rows, columns
  case default
    error stop "usage: patterns_fortran by_rows|by_columns|by_pattern|by_chunks FILE"
  end select
  mine = reshape([((value_at(start(1) + i * stride(1), start(2) + j * stride(2)), i=0, count(1) - 1), &
                   j=0, count(2) - 1)], count)

  call quire_create(out, argument(2), MPI_COMM_WORLD, options)
  call out%step(0)
  call out%put_field("array", mine, extents=[columns, rows], start=start, stride=stride)
  call out%commit()
  call out%close()

  allocate (found(count(1), count(2)))
  call quire_open(in, argument(2), MPI_COMM_WORLD)
  call in%step(0)
  call in%read_field_all("array", found, start=start, stride=stride)
  call in%close()
  wrong = merge(0, 1, all(found == mine))
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (wrong > 0) error stop "wrong values were read"

contains

  !> Neighbouring rows for each rank: one contiguous piece of the file.
  subroutine by_rows()
    start(1) = 1
    count(1) = columns
    call quire_share(rows, rank, ranks, start(2), count(2))
  end subroutine by_rows

  !> Every so many-th column for each rank: single elements at equal distances.
  subroutine by_columns()
    start = [min(int(rank, int64), columns) + 1, 1_int64]
    stride(1) = ranks
    count = [every(columns, rank, ranks), rows]
  end subroutine by_columns

  !> Every so many-th element of every so many-th row: the ranks form a grid, and so do their elements.
  subroutine by_pattern()
    integer :: grid(2), place(2)
    grid = grid_of_ranks()
    place = [mod(rank, grid(1)), rank / grid(1)]
    start = place + 1
    stride = grid
    count = [every(columns, place(1), grid(1)), every(rows, place(2), grid(2))]
  end subroutine by_pattern

  !> A block of neighbouring chunks for each rank: no chunk belongs to two ranks.
  subroutine by_chunks()
    integer :: grid(2)
    grid = grid_of_ranks()
    call quire_share(columns / chunk(1), mod(rank, grid(1)), grid(1), start(1), count(1))
    call quire_share(rows / chunk(2), rank / grid(1), grid(2), start(2), count(2))
    start = (start - 1) * chunk + 1
    count = count * chunk
  end subroutine by_chunks

  !> How many of `all` places a rank has that begins after `before` of them and takes every `step`-th.
  integer(int64) function every(all, before, step)
    integer(int64), intent(in) :: all
    integer, intent(in) :: before, step
    every = max(0_int64, (all - before - 1) / step + merge(1, 0, before < all))
  end function every

  !> Columns and rows of a grid of all ranks, as square as it gets.
  function grid_of_ranks() result(grid)
    integer :: grid(2), divisor
    grid(2) = maxval([(merge(divisor, 1, mod(ranks, divisor) == 0), divisor=1, int(sqrt(real(ranks))))])
    grid(1) = ranks / grid(2)
  end function grid_of_ranks

  !> The value of an element, which does not depend on the writer.
  pure real(real64) function value_at(column, row)
    integer(int64), intent(in) :: column, row
    value_at = real(row - 1, real64) + 0.01_real64 * real(column - 1, real64)
  end function value_at

  function argument(index) result(text)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(index, length=length)
    allocate (character(len=length) :: text)
    call get_command_argument(index, text)
  end function argument
end program patterns_fortran
