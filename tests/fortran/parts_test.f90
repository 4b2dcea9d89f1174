!> Steps whose values are passed in parts.
module parts_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format, refuses_handles_without_a_file

  integer, parameter :: nx = 5, ny = 4, layers = 3  ! of the field, layers on each rank
  integer, parameter :: n = 12, block = 5  ! rows on each rank, and in each part
  character(len=32), parameter :: plain(0) = [character(len=32) ::]
  character(len=32), parameter :: text(1) = [character(len=32) :: "mode=ascii"]
  character(len=32), parameter :: chunks(2) = [character(len=32) :: "field_chunk=2", "filter=deflate"]

  !> What a rank has of a step.
  type :: values
    real(real64) :: phi(nx, ny, layers)
    real(real32) :: e(nx, ny, layers, 3)
    integer(int32) :: charge(nx, ny, layers)
    integer(int64) :: cell(nx, ny, layers)
    real(real64) :: x(n)
    integer(int64) :: id(n)
    character(len=8) :: names(n)
  end type values

  character(len=:), allocatable :: format
  integer, public, protected :: weighing = 0  !< files that weighed their parts
  logical :: is_last, has_texts

contains

  !> All cases with files of a format.
  subroutine test_format(name)
    character(len=*), intent(in) :: name
    format = name
    is_last = test_rank == ranks - 1
    call test_settings("plain", plain)
    call test_settings("text", text)
    call test_settings("chunks", chunks)
  end subroutine test_format

  subroutine test_settings(name, settings)
    character(len=*), intent(in) :: name
    character(len=*), intent(in) :: settings(:)
    type(quire_writer) :: out
    character(len=:), allocatable :: whole, path
    type(values), target :: mine
    integer :: stat
    call create(out, name // "_whole", format, whole, settings, stat)
    if (stat /= quire_ok) return  ! the format has other options
    mine = values_of_rank()
    has_texts = .true.
    call out%step(0)
    call put_whole(out, mine)
    call out%commit(stat)
    if (stat == quire_unsupported) then
      has_texts = .false.
      call out%step(0)
      call put_whole(out, mine)
      call out%commit(stat)
    end if
    call expect_status(stat, quire_ok, format // " " // name // ": a whole step")
    call out%close()

    call create(out, name // "_parts", format, path, settings)
    if (out%weighs_values()) weighing = weighing + 1
    call agrees_on_refused_parts(out)
    call open_for_parts(out)
    call pass_parts(out, weighs=.false.)
    call out%commit()
    call out%close()
    if (test_rank == 0) call expect(same_bytes(whole, path), format // " " // name // ": the bytes of a whole step")
  end subroutine test_settings

  function values_of_rank() result(mine)
    type(values) :: mine
    integer :: i, j, k
    mine%phi = reshape([(((real(i + 10 * j + 100 * (layers * test_rank + k), real64), i=1, nx), j=1, ny), k=1, layers)], &
                       shape(mine%phi))
    do i = 1, 3
      mine%e(:, :, :, i) = real(i * mine%phi, real32)
    end do
    mine%charge = nint(mine%phi)
    mine%cell = -mine%charge
    mine%id = [(int(n * test_rank + i, int64), i=1, n)]
    mine%x = 0.1_real64 * real(mine%id, real64)
    mine%names = [(merge("quad    ", "drift 12", mod(i, 3) == 0), i=1, n)]
  end function values_of_rank

  function extents()
    integer :: extents(3)
    extents = [nx, ny, layers * ranks]
  end function extents

  !> The first element of a layer of this rank.
  function start(layer)
    integer, intent(in) :: layer
    integer :: start(3)
    start = [1, 1, layers * test_rank + layer]
  end function start

  subroutine put_whole(out, mine)
    type(quire_writer), intent(inout) :: out
    type(values), intent(in), target :: mine
    integer :: stat
    call out%set("s", 1.5_real64, unit="m")
    call out%put("x", mine%x, unit="m")
    call out%put("id", mine%id)
    if (has_texts) call out%put("name", mine%names, stat=stat)
    call out%put_field("phi", mine%phi, extents(), start(1), unit="V")
    call out%put_vector_field("E", mine%e(:, :, :, 1), mine%e(:, :, :, 2), mine%e(:, :, :, 3), extents(), start(1), &
                              unit="V/m")
    call out%put_field("charge", mine%charge, extents(), start(1))
    call out%put_field("cell", mine%cell, extents(), start(1))
  end subroutine put_whole

  subroutine declare(out)
    type(quire_writer), intent(inout) :: out
    type(values) :: mine
    mine = values_of_rank()
    call out%step(0)
    call out%set("s", 1.5_real64, unit="m")
    call out%set_rows(n)
    call out%declare_column("x", quire_real64, unit="m")
    call out%declare_column("id", quire_int64)
    if (has_texts) then
      call out%declare_texts("name", longest=maxval(len_trim(mine%names)), bytes=sum(len_trim(mine%names)))
    end if
    call out%declare_field("phi", quire_real64, extents(), start(1), [nx, ny, layers], unit="V")
    call out%declare_field("E", quire_real32, extents(), start(1), [nx, ny, layers], components=3, unit="V/m")
    call out%declare_field("charge", quire_int32, extents(), start(1), [nx, ny, layers])
    call out%declare_field("cell", quire_int64, extents(), start(1), [nx, ny, layers])
  end subroutine declare

  !> Everything before the parts are written.
  subroutine open_for_parts(out)
    type(quire_writer), intent(inout) :: out
    call declare(out)
    if (out%weighs_values()) then
      call out%agree_on_rows()
      call pass_parts(out, weighs=.true.)
    end if
    call out%open_step()
  end subroutine open_for_parts

  !> The values of all parts are in memory that changes after each of them.
  subroutine pass_parts(out, weighs, without)
    type(quire_writer), intent(inout) :: out
    logical, intent(in) :: weighs
    integer, intent(in), optional :: without  ! layers of the field
    type(values) :: mine
    integer :: first
    mine = values_of_rank()
    do first = 1, n, block
      call pass_rows(out, mine, first, min(block, n - first + 1), weighs)
    end do
    call pass_fields(out, mine, weighs, layers - merge(without, 0, present(without)))
  end subroutine pass_parts

  subroutine pass_rows(out, mine, first, rows, weighs)
    type(quire_writer), intent(inout) :: out
    type(values), intent(in) :: mine
    integer, intent(in) :: first, rows
    logical, intent(in) :: weighs
    real(real64), target :: x(rows)
    integer(int64), target :: id(rows)
    x = mine%x(first:first + rows - 1)
    id = mine%id(first:first + rows - 1)
    if (has_texts) call out%put("name", mine%names(first:first + rows - 1))
    if (mod(first, 2) == 0) then
      call out%put("x", x)
    else
      call out%put_copy("x", x)
      x = -1
    end if
    call out%put("id", id)
    if (weighs) then
      call out%weigh_rows()
    else
      call out%write_rows(first)
    end if
    id = -1
  end subroutine pass_rows

  subroutine pass_fields(out, mine, weighs, count)
    type(quire_writer), intent(inout) :: out
    type(values), intent(in) :: mine
    logical, intent(in) :: weighs
    integer, intent(in) :: count
    real(real32) :: e(3, nx, ny, 1)  ! a section of it has no layout that files have
    integer :: k
    do k = 1, count
      if (weighs) then
        call out%weigh_field("phi", mine%phi(:, :, k:k), start=start(k))
      else
        call out%write_field("phi", mine%phi(:, :, k:k), start=start(k))
      end if
    end do
    do k = 1, layers
      e(1, :, :, 1) = mine%e(:, :, k, 1)
      e(2, :, :, 1) = mine%e(:, :, k, 2)
      e(3, :, :, 1) = mine%e(:, :, k, 3)
      if (weighs) then
        call out%weigh_field("E", e(1, :, :, :), e(2, :, :, :), e(3, :, :, :), start(k))
      else
        call out%write_field("E", e(1, :, :, :), e(2, :, :, :), e(3, :, :, :), start(k))
      end if
      e = -1
    end do
    if (weighs) then
      call out%weigh_field("charge", mine%charge, start=start(1))
      call out%weigh_field("cell", mine%cell, start=start(1))
    else
      call out%write_field("charge", mine%charge, start=start(1))
      call out%write_field("cell", mine%cell, start=start(1))
    end if
  end subroutine pass_fields

  !> What one rank does wrong ends the step on all ranks, at the next collective call.
  subroutine agrees_on_refused_parts(out)
    type(quire_writer), intent(inout) :: out
    integer(int64), allocatable :: chunk(:)
    character(len=1000) :: message
    integer :: stat
    call out%step(0)
    allocate (chunk, source=out%chunk("phi", quire_real64, extents()))
    call expect(size(chunk) == 3 .and. all(chunk == chunk(1)), format // ": chunks have one length along all axes")
    deallocate (chunk)
    allocate (chunk, source=out%chunk("phi", quire_real64, [nx, -1], stat=stat))
    call expect_status(stat, quire_usage, format // ": negative extents of a chunk")
    call out%abort("only asked")

    ! Refused by the module before the step is placed.
    call declare(out)
    if (is_last) call out%declare_field("psi", quire_real64, [nx, ny], start=[0, 1], count=[1, 1], stat=stat)
    call out%agree_on_rows(stat, message)
    if (stat == quire_ok) then  ! where the ranks have nothing to agree on
      if (out%weighs_values()) call pass_parts(out, weighs=.true.)
      call out%open_step(stat, message)
    end if
    call expect_status(stat, merge(quire_usage, quire_aborted, is_last), format // ": a box from element 0", message)
    call expect_text(message, "count from 1")
    call out%commit(stat)
    call expect_status(stat, quire_usage, format // ": the step ended")

    ! Refused after it is placed.
    call open_for_parts(out)
    if (is_last) then
      call refuse_wrong_parts(out)
    else
      call pass_parts(out, weighs=.false.)
    end if
    call out%commit(stat, message)
    call expect_status(stat, merge(quire_usage, quire_aborted, is_last), format // ": wrong parts on one rank", message)

    ! Elements that no rank wrote.
    call open_for_parts(out)
    call pass_parts(out, weighs=.false., without=merge(1, 0, is_last))
    call out%commit(stat, message)
    call expect_status(stat, quire_usage, format // ": missing elements on one rank", message)
    call expect_text(message, "not all elements")
  end subroutine agrees_on_refused_parts

  subroutine refuse_wrong_parts(out)
    type(quire_writer), intent(inout) :: out
    real(real64), target :: x(2)
    real(real64) :: line(nx)
    character(len=1000) :: message
    integer :: stat
    x = 0
    line = 0
    call out%write_field("psi", line, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": a field that was not declared", message)
    call expect_text(message, "not declared")
    call out%write_field("phi", line, stat=stat)
    call expect_status(stat, quire_usage, format // ": too few dimensions")
    call out%put("x", x)
    call out%put("x", x, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": two parts", message)
    call out%write_rows(1, stat, message)
    call expect_status(stat, quire_usage, format // ": columns without a part", message)
    call expect_text(message, "no part of the column")
  end subroutine refuse_wrong_parts

  subroutine refuses_handles_without_a_file()
    type(quire_writer) :: out
    integer(int64), allocatable :: chunk(:)
    real(real64) :: phi(1)
    integer :: stat(10)
    phi = 0
    call expect(.not. out%weighs_values(), "no file weighs values")
    call out%declare_column("x", quire_real64, stat=stat(1))
    call out%declare_texts("x", 1, 1, stat=stat(2))
    call out%declare_field("x", quire_real64, [1], stat=stat(3))
    allocate (chunk, source=out%chunk("x", quire_real64, [1], stat=stat(4)))
    call out%agree_on_rows(stat(5))
    call out%open_step(stat(6))
    call out%weigh_rows(stat(7))
    call out%write_rows(1, stat(8))
    call out%weigh_field("x", phi, stat=stat(9))
    call out%write_field("x", phi, stat=stat(10))
    call expect(all(stat == quire_usage), "parts without a file")
    call expect(size(chunk) == 1 .and. all(chunk == 0), "no chunk without a file")
  end subroutine refuses_handles_without_a_file
end module parts_cases

program parts_test
  use checks, only: expect
  use parts_cases
  use quire, only: quire_format_holds_tables, quire_format_name
  use world, only: begin_world, end_world
  implicit none (type, external)
  integer :: index
  call begin_world()
  index = 1
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_tables(quire_format_name(index))) call test_format(quire_format_name(index))
    index = index + 1
  end do
  call expect(weighing > 1, "files of text and of compressed chunks weigh parts")
  call refuses_handles_without_a_file()
  call end_world()
end program parts_test
