!> Rows that are chosen by a condition or by their numbers, to be read.
module conditions_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format, refuses_handles_without_a_file, has_index

  integer, parameter :: n = 20  ! rows on each rank
  logical :: has_texts
  logical :: has_index = .false.  ! of any format

contains

  !> All cases with files of a format.
  subroutine test_format(format)
    character(len=*), intent(in) :: format
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    integer :: stat
    call write_rows(format, path, .true., stat)
    has_texts = stat /= quire_unsupported
    if (.not. has_texts) call write_rows(format, path, .false., stat)
    call expect_status(stat, quire_ok, format // ": commit")
    if (.not. has_index) inquire (file=path // ".qix", exist=has_index)
    call open_step(in, path, 0)
    call selects_by_conditions(in, format)
    call selects_by_numbers(in, format)
    call agrees_on_wrong_choices(in, format)
    call in%close()
  end subroutine test_format

  !> x is half the number of the row.
  subroutine write_rows(format, path, with_texts, stat)
    character(len=*), intent(in) :: format
    character(len=:), allocatable, intent(out) :: path
    logical, intent(in) :: with_texts
    integer, intent(out) :: stat
    type(quire_writer) :: out
    real(real64), target :: x(n)
    integer(int32), target :: id(n)
    character(len=4) :: names(n)
    integer :: i
    id = [(n * test_rank + i, i=1, n)]
    x = 0.5_real64 * id
    names = [(merge("quad", "bend", mod(i, 2) == 0), i=1, n)]
    call create(out, "rows", format, path, [character(len=10) :: "zones=true"])
    call out%step(0)
    call out%put("x", x, unit="m")
    call out%put("id", id)
    if (with_texts) call out%put("name", names, stat=stat)
    call out%commit(stat)
    call out%close()
  end subroutine write_rows

  subroutine selects_by_conditions(in, format)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: format
    integer(int64), allocatable :: rows(:)
    real(real64), allocatable :: x(:)
    real(real32) :: pairs(2, 5)
    integer(int64) :: ids(1)
    character(len=4) :: names(3)
    integer :: i
    call in%set_rows_where("x > 5 and id % 2 == 0")
    allocate (rows, source=in%chosen_rows())
    call expect(size(rows) == (n * ranks - 10) / 2, format // ": number of chosen rows")
    call expect(all(rows == [(i, i=12, n * ranks, 2)]), format // ": chosen rows count from 1")
    allocate (x(size(rows)))
    call in%read("x", x)
    call expect(all(x == 0.5_real64 * rows), format // ": values of chosen rows")
    x = 0
    call in%read_all("x", x)
    call expect(all(x == 0.5_real64 * rows), format // ": values of chosen rows on all ranks")

    ! Each rank among its own rows, into a section.
    call in%set_rows_where("x * 2 == id", first=n * test_rank + 1, count=5_int64)
    pairs = 0
    call in%read_all("x", pairs(2, :))
    call expect(all(nint(2 * pairs(2, :)) == n * test_rank + [1, 2, 3, 4, 5]), format // ": each rank its rows")
    call expect(all(pairs(1, :) == 0), format // ": the rest of a section")
    call in%read("x", x(:2), first=1)
    call expect(all(x(:2) == [0.5_real64, 1.0_real64]), format // ": first is not affected")
    if (has_texts) then
      call in%set_rows_where("id > 0", first=n * ranks - 2)
      call in%read_all("name", names)
      call expect(all(names == ["quad", "bend", "quad"]), format // ": texts of the last rows")
      call in%read("name", names(:2), first=1)
      call expect(all(names(:2) == ["bend", "quad"]), format // ": first rows of texts")
    end if

    call in%set_rows_where("x < 0")
    call expect(size(in%chosen_rows()) == 0, format // ": no row satisfies the condition")
    call in%read_all("id", ids(:0))
    call in%step(0)
    call in%read_all("id", ids)
    call expect(ids(1) == 1, format // ": a step selects all rows")
  end subroutine selects_by_conditions

  subroutine selects_by_numbers(in, format)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: format
    integer(int32) :: ids(3)
    call in%set_row_list([7, 3, 7])
    call in%read_all("id", ids)
    call expect(all(ids == [7, 3, 7]), format // ": a list of rows, with repetitions")
    call expect(all(in%chosen_rows() == [7, 3, 7]), format // ": their numbers")
    call in%set_row_blocks(start=2, stride=4, count=3, block=1)
    call in%read("id", ids)
    call expect(all(ids == [2, 6, 10]), format // ": blocks of rows")
    call in%table(in%name(quire_tables, 1))
    call in%read("id", ids)
    call expect(all(ids == [1, 2, 3]), format // ": a table selects all rows")
  end subroutine selects_by_numbers

  !> What one rank chooses wrongly is an error of the next collective call on all ranks.
  subroutine agrees_on_wrong_choices(in, format)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: format
    real(real64) :: x(4)
    character(len=4) :: names(4)
    character(len=1000) :: message
    logical :: is_last
    integer :: stat
    is_last = test_rank == ranks - 1
    call in%set_rows_where(merge("y >", "x >", is_last) // " 1", first=1, count=6, stat=stat, errmsg=message)
    call expect_status(stat, merge(quire_missing, quire_ok, is_last), format // ": a missing column", message)
    call in%read_all("x", x, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": no rows on one rank", message)
    call expect_text(message, "no rows were chosen")

    call in%set_rows_where("x > 1", first=1, count=6)
    call in%read_all("x", x(:merge(2, 4, is_last)), stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": a short array on one rank", message)
    call expect_text(message, "4 rows were chosen")
    if (has_texts) then
      call in%read_all("name", names(:merge(2, 4, is_last)), stat=stat, errmsg=message)
      call expect_status(stat, quire_usage, format // ": few texts on one rank", message)
    end if
    call in%read_all(merge("y", "x", is_last), x, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, format // ": a missing column on one rank", message)
    call in%read_all("x", x)
    call expect(all(x == [1.5_real64, 2.0_real64, 2.5_real64, 3.0_real64]), format // ": rows after errors")

    call in%set_rows_where("x >", stat=stat)
    call expect_status(stat, quire_usage, format // ": half a condition")
    call in%set_rows_where("x > 1", first=0, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": row 0", message)
    call in%set_rows_where("x > 1", first=2, count=n * ranks, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": rows after the end", message)
    call in%set_rows_where("x > 1", count=-1, stat=stat)
    call expect_status(stat, quire_usage, format // ": a negative count")
    call in%read("x", x, stat=stat)
    call expect_status(stat, quire_usage, format // ": no rows after errors")
  end subroutine agrees_on_wrong_choices

  subroutine refuses_handles_without_a_file()
    type(quire_reader) :: in
    integer(int64), allocatable :: rows(:)
    integer :: stat
    call in%set_rows_where("x > 1", stat=stat)
    call expect_status(stat, quire_usage, "a condition without a file")
    allocate (rows, source=in%chosen_rows(stat))
    call expect_status(stat, quire_usage, "chosen rows without a file")
    call expect(size(rows) == 0, "no rows after an error")
  end subroutine refuses_handles_without_a_file
end module conditions_cases

program conditions_test
  use checks, only: expect
  use conditions_cases
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
  call expect(index > 3, "there are several formats")
  call expect(has_index, "zones=true makes indexes")
  call refuses_handles_without_a_file()
  call end_world()
end program conditions_test
