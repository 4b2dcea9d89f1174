!> examples/checkpoint in Fortran: a run that writes a series of checkpoints, and restarts from the last one on fewer
!> ranks. The files are those of the program in C++ on as many ranks.
!>
!>     mpiexec -n 4 checkpoint_fortran PREFIX SUFFIX ELEMENTS CHECKPOINTS READERS
program checkpoint_fortran
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use checkpoint_mesh, only: advance, make_mesh, right_elements, wanted_ids
  use mpi_f08
  use quire_mpi
  implicit none (type, external)
  integer :: rank, ranks, elements, checkpoints, readers, wrong
  type(MPI_Comm) :: part

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  elements = number(3)
  checkpoints = number(4)
  readers = number(5)
  call write_series()
  call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, rank < readers), rank, part)
  wrong = wrong_elements()
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print "(3(i0, a))", checkpoints, " checkpoints, ", elements, " elements, ", wrong, " of them wrong"
  call MPI_Comm_free(part)
  call MPI_Finalize()
  if (wrong > 0) error stop 1

contains

  real(real64) function time_of(number)
    integer, intent(in) :: number
    time_of = 0.125_real64 * number
  end function time_of

  function path_of(number) result(path)
    integer, intent(in) :: number
    character(len=:), allocatable :: path
    character(len=12) :: digits
    write (digits, "(i0)") number
    path = argument(1) // trim(digits) // argument(2)
  end function path_of

  subroutine write_series()
    type(quire_element_part), allocatable, target :: parts(:)
    type(quire_element_layout) :: layout  ! the partition never changes: it is exchanged once
    type(quire_writer) :: out
    integer :: number
    call make_mesh(parts, elements, rank, ranks)
    do number = 0, checkpoints - 1
      call advance(parts, time_of(number))
      call quire_create(out, path_of(number), MPI_COMM_WORLD)
      call out%step(number)
      call out%set("Time", time_of(number))
      call quire_put_elements(out, parts, layout)
      call out%commit()
      call out%close()
    end do
    if (layout%reused() /= checkpoints - 1) error stop "the layout was exchanged again"
  end subroutine write_series

  !> The elements that the restart does not find as they were written, of all variables and then of one.
  integer function wrong_elements() result(wrong)
    type(quire_reader) :: in
    type(quire_element_block), allocatable :: blocks(:)
    integer(int32), allocatable, target :: ids(:)
    integer(int32), allocatable :: missing(:)
    integer :: i, ranks_here, rank_here
    call MPI_Comm_rank(part, rank_here)
    call MPI_Comm_size(part, ranks_here)
    call quire_open(in, path_of(checkpoints - 1), part)
    associate (steps => in%steps())
      call in%step(steps(1))
    end associate
    allocate (ids, source=wanted_ids(elements, rank_here, ranks_here))
    wrong = 0
    do i = 1, 2
      if (i == 1) then
        call quire_read_elements_all(in, blocks, ids, missing=missing)
      else
        call quire_read_elements_all(in, blocks, ids, variables=["p"], missing=missing)
      end if
      wrong = wrong + size(ids) - right_elements(blocks, time_of(checkpoints - 1)) + size(missing)
    end do
    call in%close()
  end function wrong_elements

  integer function number(index)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    text = argument(index)
    read (text, *) number
  end function number

  function argument(index) result(text)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(index, length=length)
    allocate (character(len=length) :: text)
    call get_command_argument(index, text)
  end function argument
end program checkpoint_fortran
