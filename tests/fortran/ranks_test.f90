!> Files of several ranks, by both kinds of communicators.
module ranks_cases
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use mpi_f08
  use quire_mpi
  implicit none (type, external)
  private
  public :: run_all

  integer :: rank, ranks
  real(real64), target :: filled(4)  ! what the fill procedures put

contains

  subroutine run_all()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    test_rank = rank
    call require_world_size()
    call writes_and_reads(".h5")
    call shares_rows_evenly()
    call agrees_on_wrong_steps()
    call agrees_on_wrong_reads()
    call agrees_on_texts()
    call copies_no_handle()
    call agrees_on_files()
    call writes_at_once()
    call agrees_on_wrong_numbers()
    call keeps_elements()
    call releases_without_communication()
  end subroutine run_all

  subroutine require_world_size()
    character(len=8) :: wanted
    integer :: number
    call get_environment_variable("QUIRE_TEST_RANKS", wanted)
    read (wanted, *) number
    call expect(number == ranks, "the number of ranks differs from QUIRE_TEST_RANKS")
  end subroutine require_world_size

  !> Rank r has r + 1 rows, and a slab of the field along its slowest axis.
  subroutine put_step(out, x, ids, slab)
    type(quire_writer), intent(inout) :: out
    real(real64), intent(inout), target :: x(:), slab(:, :, :)
    integer(int64), intent(inout), target :: ids(:)
    integer :: i, j
    ids = [(int(rank * (rank + 1) / 2 + i, int64), i=1, rank + 1)]
    x = 0.5_real64 * real(ids, real64)
    slab = reshape([((real(i + 10 * j + 100 * (rank + 1), real64), i=1, 3), j=1, 2)], shape(slab))
    call out%set("ranks", 7)
    call out%put("x", x, unit="m")
    call out%put("id", ids)
    call out%put_field("phi", slab, extents=[3, 2, ranks], start=[1, 1, rank + 1])
  end subroutine put_step

  subroutine write_with(out)
    type(quire_writer), intent(inout) :: out
    real(real64), target :: x(rank + 1), slab(3, 2, 1)
    integer(int64), target :: ids(rank + 1)
    call out%step(3)
    call put_step(out, x, ids, slab)
    call out%commit()
    call out%close()
  end subroutine write_with

  subroutine writes_and_reads(suffix)
    character(len=*), intent(in) :: suffix
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), allocatable :: x(:), all_slabs(:, :, :)
    integer(int64) :: first, count, total, i
    call quire_create(out, test_path("typed" // suffix), MPI_COMM_WORLD)
    call write_with(out)
    call quire_create(out, test_path("integer" // suffix), MPI_COMM_WORLD%MPI_VAL)
    call write_with(out)
    if (rank == 0) call expect(same_bytes(test_path("typed" // suffix), test_path("integer" // suffix)), "same bytes")

    call quire_open(in, test_path("typed" // suffix), MPI_COMM_WORLD)
    call in%step(3)
    total = in%rows()
    call expect(total == ranks * (ranks + 1) / 2, "the number of rows of all ranks")
    call quire_share(total, rank, ranks, first, count)
    allocate (x(count))
    call in%read_all("x", x, first=first)
    call expect(all(x == [(0.5_real64 * real(i, real64), i=first, first + count - 1)]), "the rows of another partition")
    allocate (all_slabs(3, 2, ranks))
    call in%read_field_all("phi", all_slabs)
    call expect(all(all_slabs(2, 1, :) == [(real(12 + 100 * i, real64), i=1, ranks)]), "the slabs of all ranks")
    call in%close()
  end subroutine writes_and_reads

  subroutine shares_rows_evenly()
    integer(int64) :: first, count, next
    integer :: r
    next = 1
    do r = 0, 3
      call quire_share(10_int64, r, 4, first, count)
      call expect(first == next .and. count == merge(3, 2, r < 2), "10 rows on 4 ranks")
      next = first + count
    end do
    call expect(next == 11, "all rows are shared")
  end subroutine shares_rows_evenly

  !> The status of a collective call to which one rank came with an error.
  integer function status_of_others(own)
    integer, intent(in) :: own
    status_of_others = merge(own, quire_aborted, rank == ranks - 1)
  end function status_of_others

  subroutine agrees_on_wrong_steps()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), target :: x(rank + 1), slab(3, 2, 1), short(1)
    integer(int64), target :: ids(rank + 1)
    character(len=1000) :: message
    integer :: stat
    short = 0
    call quire_create(out, test_path("wrong.h5"), MPI_COMM_WORLD)
    call out%step(1)
    call put_step(out, x, ids, slab)
    if (rank == ranks - 1) call out%put_field("psi", short, extents=[3, 2], stat=stat)
    call out%commit(stat, message)
    call expect_status(stat, status_of_others(quire_usage), "a wrong array on one rank", message)
    call expect_text(message, "extents")

    call out%step(2)
    call put_step(out, x, ids, slab)
    if (rank == ranks - 1) then
      call out%abort("the particles are lost", stat)
      call expect_status(stat, quire_ok, "abort")
    else
      call out%commit(stat, message)
      call expect_status(stat, quire_aborted, "the commit of the others", message)
      call expect_text(message, "the particles are lost")
    end if

    call out%step(3)
    call put_step(out, x, ids, slab)
    call out%commit()
    call out%close()
    call quire_open(in, test_path("wrong.h5"), MPI_COMM_WORLD)
    call expect(all(in%steps() == [3]), "only the right step is in the file")
    call in%close()
  end subroutine agrees_on_wrong_steps

  subroutine agrees_on_wrong_reads()
    type(quire_reader) :: in
    real(real64) :: x(1), slab(3, 2, 1)
    character(len=1000) :: message
    integer :: stat
    call quire_open(in, test_path("typed.h5"), MPI_COMM_WORLD)
    call in%step(3)
    call in%read_all("x", x, first=merge(0, 1, rank == ranks - 1), stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, "row 0 on one rank", message)
    call in%read_all(merge("y", "x", rank == ranks - 1), x, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, "a missing column on one rank", message)
    call expect_text(message, "y")
    if (rank == ranks - 1) then
      call in%read_field_all("phi", slab, start=[1, 1], stat=stat, errmsg=message)
    else
      call in%read_field_all("phi", slab, start=[1, 1, 1], stat=stat, errmsg=message)
    end if
    call expect_status(stat, quire_usage, "a wrong start on one rank", message)
    call in%read_all("x", x)
    call expect(x(1) == 0.5_real64, "reading after errors")
    call in%close()
  end subroutine agrees_on_wrong_reads

  !> A text that is too long for the array of one rank is an error on all.
  subroutine agrees_on_texts()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=8) :: names(rank + 1), found(1)
    character(len=2) :: short(1)
    character(len=1000) :: message
    integer :: stat
    names = "quad"
    call quire_create(out, test_path("texts.h5"), MPI_COMM_WORLD)
    call out%step(0)
    call out%put("name", names)
    call out%commit()
    call out%close()
    call quire_open(in, test_path("texts.h5"), MPI_COMM_WORLD)
    call in%step(0)
    if (rank == ranks - 1) then
      call in%read_all("name", short, stat=stat, errmsg=message)
    else
      call in%read_all("name", found, stat=stat, errmsg=message)
    end if
    call expect_status(stat, quire_type, "a text that is too long on one rank", message)
    call expect_text(message, "4 characters")
    call in%read_all(merge("name", "none", rank < ranks - 1), found, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, "a missing column of texts on some ranks", message)
    call in%read_all("name", found)
    call expect(all(found == "quad"), "texts after errors")
    call in%close()
  end subroutine agrees_on_texts

  !> What allocate (copy, source=handle) makes is no open file, whichever of both ends first.
  subroutine copies_no_handle()
    type(quire_writer), allocatable :: out, copy, other
    real(real64), target :: x(1)
    character(len=200) :: message
    integer :: stat
    x = rank
    allocate (out)
    call quire_create(out, test_path("copied.h5"), MPI_COMM_WORLD)
    allocate (copy, source=out)
    allocate (other, source=out)
    call copy%step(0, stat, message)
    call expect_status(stat, quire_usage, "a copy of a handle", message)
    call expect_text(message, "copy")
    deallocate (copy)
    call out%step(0)
    call out%put("x", x)
    call out%commit()
    call out%close()
    deallocate (out)
    call other%close(stat)
    call expect_status(stat, quire_usage, "a copy of a handle that ended")
    deallocate (other)
  end subroutine copies_no_handle

  subroutine agrees_on_files()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_options) :: options
    character(len=1000) :: message
    integer :: stat
    if (rank == ranks - 1) options%format = "no such format"
    call quire_create(out, test_path("options.h5"), MPI_COMM_WORLD, options, stat, message)
    call expect_status(stat, quire_usage, "a wrong format on one rank", message)
    call quire_open(in, test_path("absent.h5"), MPI_COMM_WORLD, stat=stat, errmsg=message)
    call expect(stat == quire_missing .or. stat == quire_io, "an absent file")
    call quire_create(out, test_path("alone.h5"), stat=stat)
    call expect_status(stat, merge(quire_ok, quire_usage, ranks == 1), "no communicator")
    options = quire_options(deadline=20000)
    call quire_append(out, test_path("typed.h5"), MPI_COMM_WORLD, after=3, options=options)
    call write_next(out)
    call quire_open(in, test_path("typed.h5"), MPI_COMM_WORLD%MPI_VAL)
    call expect(all(in%steps() == [3, 4]), "an appended step")
    call in%close()
  end subroutine agrees_on_files

  !> A number that is no integer on one rank is an error on all of them.
  subroutine agrees_on_wrong_numbers()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=1000) :: message
    integer :: stat
    if (rank == ranks - 1) then
      call quire_append(out, test_path("typed.h5"), MPI_COMM_WORLD, after=3.5, stat=stat, errmsg=message)
    else
      call quire_append(out, test_path("typed.h5"), MPI_COMM_WORLD, after=3, stat=stat, errmsg=message)
    end if
    call expect_status(stat, quire_usage, "after is no integer on one rank", message)
    call expect_text(message, "after is no integer")
    if (rank == ranks - 1) then
      call quire_write_file(test_path("number.h5"), 1.5, fill, MPI_COMM_WORLD, stat=stat, errmsg=message)
    else
      call quire_write_file(test_path("number.h5"), 1, fill, MPI_COMM_WORLD, stat=stat, errmsg=message)
    end if
    call expect_status(stat, quire_usage, "the number of a file of one step", message)
    call expect_text(message, "the number of the step is no integer")

    call quire_create(out, test_path("numbers.h5"), MPI_COMM_WORLD)
    if (rank == ranks - 1) then
      call out%step(1.5, stat)
      call expect_status(stat, quire_usage, "the number of a step that is written")
    else
      call out%step(1)
    end if
    call out%commit(stat, message)
    call expect_status(stat, status_of_others(quire_usage), "the commit of a wrong number", message)
    call write_next(out)
    call quire_open(in, test_path("numbers.h5"), MPI_COMM_WORLD)
    call expect(all(in%steps() == [4]), "only the right step is in the file")
    call in%close()
  end subroutine agrees_on_wrong_numbers

  subroutine write_next(out)
    type(quire_writer), intent(inout) :: out
    real(real64), target :: x(rank + 1), slab(3, 2, 1)
    integer(int64), target :: ids(rank + 1)
    call out%step(4)
    call put_step(out, x, ids, slab)
    call out%commit()
    call out%close()
  end subroutine write_next

  subroutine writes_at_once()
    character(len=1000) :: message
    integer :: stat
    filled = rank
    call quire_write_file(test_path("at_once.h5"), 1, fill, MPI_COMM_WORLD)
    call quire_write_file(test_path("refused.h5"), 1, refuse, MPI_COMM_WORLD, stat=stat, errmsg=message)
    call expect_status(stat, status_of_others(quire_usage), "a fill that refuses", message)
  end subroutine writes_at_once

  subroutine fill(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%put("x", filled, stat=stat)
  end subroutine fill

  subroutine refuse(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%put("x", filled)
    if (rank == ranks - 1) stat = quire_usage
  end subroutine refuse

  !> A segment of two coefficients on each rank; then an incomplete part on one rank, which fails on all.
  subroutine keeps_elements()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_element_part), target :: part(1), incomplete(1)
    type(quire_element_block), allocatable :: blocks(:)
    integer, allocatable :: missing(:)
    character(len=1000) :: message
    integer :: stat
    part(1)%expansion%shape = "Segment"
    part(1)%expansion%basis = [character(len=quire_name_length) :: "Modified_A"]
    part(1)%expansion%modes = [2_int64]
    part(1)%ids = [rank]
    part(1)%variables = [character(len=quire_name_length) :: "u"]
    part(1)%values = reshape([rank + 0.25_real64, rank + 0.5_real64], [2, 1])
    call quire_create(out, test_path("elements.chk"), MPI_COMM_WORLD)
    call out%step(0)
    call quire_put_elements(out, part)
    call out%commit()
    call out%close()
    call quire_open(in, test_path("elements.chk"), MPI_COMM_WORLD)
    associate (steps => in%steps())
      call in%step(steps(1))
    end associate
    call quire_read_elements_all(in, blocks, [ranks - 1 - rank, ranks + 7], missing=missing)
    call expect(size(missing) == 1 .and. all(missing == ranks + 7), "an element that is missing")
    call expect(size(blocks) == 1, "one block")
    call expect(blocks(1)%expansion%shape == "Segment" .and. all(blocks(1)%ids == ranks - 1 - rank), "its element")
    call expect(all(blocks(1)%values(:, 1) == ranks - 1 - rank + [0.25_real64, 0.5_real64]), "its coefficients")
    call expect(all(blocks(1)%variables == "u") .and. all(blocks(1)%first == [1, 3]), "its variable")
    call quire_read_elements_all(in, blocks, [rank], variables=["p"], stat=stat, errmsg=message)
    call expect(stat /= quire_ok .or. size(blocks) == 0, "no variable p")
    call in%close()

    call quire_create(out, test_path("incomplete.chk"), MPI_COMM_WORLD)
    call out%step(0)
    if (rank == ranks - 1) then
      call quire_put_elements(out, incomplete, stat=stat)
    else
      call quire_put_elements(out, part)
    end if
    call out%commit(stat, message)
    call expect(stat /= quire_ok, "an incomplete part on one rank")
  end subroutine keeps_elements

  !> Each rank releases its handle while the others wait elsewhere: a finaliser that communicates would never return.
  subroutine releases_without_communication()
    type(quire_writer), allocatable :: out
    integer :: turn
    allocate (out)
    call quire_create(out, test_path("released.h5"), MPI_COMM_WORLD)
    do turn = 0, ranks - 1
      if (turn == rank) deallocate (out)
      call MPI_Barrier(MPI_COMM_WORLD)
    end do
    call expect(.not. allocated(out), "the handle is released")
  end subroutine releases_without_communication
end module ranks_cases

program ranks_test
  use checks, only: number_of_failures
  use mpi_f08
  use ranks_cases, only: run_all
  implicit none (type, external)
  integer :: failures
  call MPI_Init()
  call run_all()
  failures = number_of_failures()
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (failures > 0) error stop 1
end program ranks_test
