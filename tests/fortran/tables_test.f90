!> Tables, attributes and errors of files of one process.
module tables_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use quire
  implicit none (type, external)
  private
  public :: test_format

  type :: particle
    real(real64) :: x, px
    integer(int32) :: id
  end type particle

  integer, parameter :: n = 7
  character(len=:), allocatable :: format
  real(real64), target :: filled(n), section(2, n)  ! what the fill procedures put

contains

  !> All cases with files of a format.
  subroutine test_format(name)
    character(len=*), intent(in) :: name
    format = name
    call keeps_all_kinds()
    call refers_to_contiguous_arrays()
    call copies_other_arrays()
    call reads_into_sections()
    call keeps_attributes()
    call selects_rows()
    call reads_selected_rows()
    call reports_errors()
    call commits_no_wrong_step()
    call writes_at_once()
    call appends()
    call defines()
    call releases_without_closing()
  end subroutine test_format

  subroutine create(out, name, path)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(out) :: path
    type(quire_options) :: options
    options%format = format
    path = test_path(name // "." // format)
    call quire_create(out, path, options=options)
  end subroutine create

  subroutine open_step(in, path, number)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: path
    integer, intent(in) :: number
    call quire_open(in, path)
    call in%step(number)
  end subroutine open_step

  subroutine keeps_all_kinds()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: r64(n)
    real(real64) :: r64_read(n)
    real(real32), target :: r32(n)
    real(real32) :: r32_read(n)
    integer(int64), target :: i64(n)
    integer(int64) :: i64_read(n)
    integer(int32), target :: i32(n)
    integer(int32) :: i32_read(n), i
    r64 = [(0.1_real64 * i, i=1, n)]
    r32 = [(-0.3_real32 * i, i=1, n)]
    i64 = [(2_int64**40 + i, i=1, n)]
    i32 = [(-i, i=1, n)]
    call create(out, "kinds", path)
    call out%step(0)
    call out%put("r64", r64, unit="m")
    call out%put("r32", r32)
    call out%put("i64", i64)
    call out%put("i32", i32)
    call out%commit()
    call out%close()
    call expect(out%copied() == 0, format // ": contiguous arrays are not copied")
    call open_step(in, path, 0)
    call expect(in%rows() == n, format // ": number of rows")
    call in%read("r64", r64_read)
    call in%read("r32", r32_read)
    call in%read("i64", i64_read)
    call in%read("i32", i32_read)
    call expect(all(r64 == r64_read), format // ": real64")
    call expect(all(r32 == r32_read), format // ": real32")
    call expect(all(i64 == i64_read), format // ": int64")
    call expect(all(i32 == i32_read), format // ": int32")
    call in%read("i32", i64_read)
    call expect(all(i64_read == i32), format // ": int32 as int64")
    r64_read = 0
    call in%read("r64", r64_read(1:2), first=3)
    call expect(all(r64_read(1:2) == r64(3:4)), format // ": rows from the third on")
    call in%close()
  end subroutine keeps_all_kinds

  subroutine refers_to_contiguous_arrays()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: now(n)
    real(real64) :: later(n)
    real(real64) :: found(n)
    now = 1
    later = 1
    call create(out, "refers", path)
    call out%step(0)
    call out%put("referenced", now)
    call out%put_copy("copied", later)
    call out%put_copy("expression", 2 * later)
    now = 3
    later = 3
    call out%commit()
    call out%close()
    call expect(out%copied() == 2 * n * 8, format // ": the bytes of put_copy are counted")
    call open_step(in, path, 0)
    call in%read("referenced", found)
    call expect(all(found == 3), format // ": put refers to the array")
    call in%read("copied", found)
    call expect(all(found == 1), format // ": put_copy copies the array")
    call in%read("expression", found)
    call expect(all(found == 2), format // ": put_copy takes expressions")
  end subroutine refers_to_contiguous_arrays

  subroutine copies_other_arrays()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: phase_space(6, n), wide(2 * n)
    real(real64) :: found(n)
    type(particle), target :: beam(n)
    integer(int32) :: ids(n), i
    phase_space = reshape([(real(i, real64), i=1, 6 * n)], [6, n])
    wide = [(0.5_real64 * i, i=1, 2 * n)]
    beam%x = wide(1:n)
    beam%px = wide(n + 1:)
    beam%id = [(i, i=1, n)]
    call create(out, "sections", path)
    call out%step(0)
    call out%put_copy("row", phase_space(2, :))
    call out%put_copy("odd", wide(1::2))
    call out%put_copy("reversed", wide(n:1:-1))
    call expect(out%copied() == 3 * n * 8, format // ": sections are counted")
    call out%put("half", wide(n + 1:))
    call expect(out%copied() == 3 * n * 8, format // ": a contiguous section is not copied")
    call out%put_copy("px", beam%px)
    call out%put_copy("id", beam%id)
    call expect(out%copied() == 4 * n * 8 + n * 4, format // ": components are counted")
    call out%commit()
    call out%close()
    call open_step(in, path, 0)
    call in%read("row", found)
    call expect(all(found == phase_space(2, :)), format // ": a row of a matrix")
    call in%read("odd", found)
    call expect(all(found == wide(1::2)), format // ": every other element")
    call in%read("reversed", found)
    call expect(all(found == wide(n:1:-1)), format // ": a reversed section")
    call in%read("half", found)
    call expect(all(found == wide(n + 1:)), format // ": the second half")
    call in%read("px", found)
    call expect(all(found == beam%px), format // ": a component of a derived type")
    call in%read("id", ids)
    call expect(all(ids == beam%id), format // ": an integer component")
  end subroutine copies_other_arrays

  subroutine reads_into_sections()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: x(n)
    real(real64) :: matrix(3, n), pairs(2, 3)
    type(particle) :: beam(n)
    integer :: i
    x = [(0.25_real64 * i, i=1, n)]
    matrix = -1
    beam%px = -1
    call create(out, "into", path)
    call out%step(0)
    call out%put("x", x)
    call out%commit()
    call out%close()
    call open_step(in, path, 0)
    call in%read("x", matrix(2, :))
    call expect(in%copied() == n * 8, format // ": reading into a section is counted")
    call expect(all(matrix(2, :) == x) .and. all(matrix(1::2, :) == -1), format // ": the row of a matrix is read")
    call in%read_all("x", beam%x)
    call expect(all(beam%x == x) .and. all(beam%px == -1), format // ": components are read")
    call in%read("x", pairs, first=2)
    call expect(all(pairs == reshape(x(2:7), [2, 3])), format // ": array element order")
  end subroutine reads_into_sections

  subroutine keeps_attributes()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path, text
    character(len=1000) :: message
    real(real64), target :: x(1)
    real(real64) :: s
    integer(int64) :: seed, values
    integer(int32) :: small
    integer(int32) :: list(3)
    integer :: stat
    character(len=20) :: code
    x = 0
    code = "beam in Fortran"
    call create(out, "attributes", path)
    call out%set("seed", 42_int64)
    call out%step(0)
    call out%set("s", 1.5_real64, unit="m")
    call out%set("turns", 3)
    call out%set("code", code)
    call out%put("x", x)
    call out%set("list", [1, 2, 3], stat=stat)  ! not in every format
    call out%commit(stat, message)
    if (stat /= quire_ok) then
      call out%step(0)
      call out%set("s", 1.5_real64, unit="m")
      call out%set("turns", 3)
      call out%set("code", code)
      call out%put("x", x)
      call out%commit()
    end if
    call out%close()
    call open_step(in, path, 0)
    call in%get("s", s)
    call expect(s == 1.5_real64, format // ": an attribute of the step")
    call in%get("seed", seed)
    call expect(seed == 42, format // ": an attribute of the file")
    call in%get("turns", small)
    call expect(small == 3, format // ": an integer attribute")
    call in%get("code", text)
    call expect(text == "beam in Fortran" .and. len(text) == 15, format // ": a text without trailing blanks")
    call in%get("list", list, count=values, stat=stat)
    if (stat == quire_ok) call expect(values == 3 .and. all(list == [1, 2, 3]), format // ": a list")
    call in%get("s", small, stat=stat, errmsg=message)
    call expect_status(stat, quire_type, format // ": 1.5 is no integer", message)
    call in%get("nothing", s, stat=stat)
    call expect_status(stat, quire_missing, format // ": an attribute that is missing")
    call in%get("nothing", text, stat=stat)
    call expect_status(stat, quire_missing, format // ": a text that is missing")
    call expect(text == "", format // ": no text")
  end subroutine keeps_attributes

  subroutine selects_rows()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=1000) :: message
    real(real64), target :: values(3)
    real(real64) :: found(6)
    integer :: stat
    values = [30, 10, 20]
    call create(out, "rows", path)
    call out%step(0)
    call out%set_row_list([5, 1, 3], total=6)
    call out%put("x", values)
    call out%commit(stat, message)
    if (stat == quire_unsupported) return  ! rows of text have no places
    call expect_status(stat, quire_ok, format // ": chosen rows", message)
    call out%close()
    call open_step(in, path, 0)
    call in%read("x", found)
    call expect(all(found == [10, 0, 20, 0, 30, 0]), format // ": rows count from 1")

    call create(out, "blocks", path)
    call out%step(0)
    call out%set_row_blocks(start=2, stride=2_int64, count=3, block=1)
    call out%put("x", values)
    call out%commit()
    call out%close()
    call open_step(in, path, 0)
    call in%read("x", found)
    call expect(all(found == [0, 30, 0, 10, 0, 20]), format // ": blocks of rows")
  end subroutine selects_rows

  subroutine reads_selected_rows()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=1000) :: message
    character(len=4) :: names(3)
    real(real64), target :: x(n)
    real(real64) :: found(3)
    integer :: i, stat
    x = [(10 * i, i=1, n)]
    call create(out, "selected", path)
    call out%step(0)
    call out%put("x", x)
    call out%put("name", [character(len=4) :: "a", "b", "c", "d", "e", "f", "g"], stat=stat)
    call out%commit(stat)
    if (stat /= quire_ok) then  ! the format has no columns of texts
      call out%step(0)
      call out%put("x", x)
      call out%commit()
    end if
    call out%close()
    call open_step(in, path, 0)
    call in%set_row_list([5, 1, 5])
    call in%read("x", found)
    call expect(all(found == [50, 10, 50]), format // ": a list of rows is read")
    call in%read_all("x", found)
    call expect(all(found == [50, 10, 50]), format // ": a list of rows is read by all ranks")
    call in%read("x", found, first=2)
    call expect(all(found == [20, 30, 40]), format // ": a first row precedes the list")
    call in%read("name", names, stat=stat)
    if (stat == quire_ok) call expect(all(names == ["e", "a", "e"]), format // ": a list of texts")
    call in%read("x", found(:2), stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": fewer elements than rows")
    call expect_text(message, "2 elements, but 3 rows were chosen")
    call in%set_row_blocks(start=2, stride=3, count=2, block=1)
    call in%read_all("x", found(:2))
    call expect(all(found(:2) == [20, 50]), format // ": blocks of rows are read")
    call in%set_row_list([0], stat=stat)
    call expect_status(stat, quire_usage, format // ": a row before the first one")
    call in%read_all("x", found(:1), stat=stat)
    call expect_status(stat, quire_usage, format // ": no rows after a wrong choice")
    call in%step(0)
    call in%read("x", found)
    call expect(all(found == [10, 20, 30]), format // ": a choice ends with the step")
  end subroutine reads_selected_rows

  subroutine reports_errors()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_options) :: options
    character(len=:), allocatable :: path
    character(len=1000) :: message
    real(real64), target :: x(n)
    integer(int32) :: small(n)
    integer :: stat
    x = 0.5_real64
    call out%step(1, stat, message)
    call expect_status(stat, quire_usage, format // ": a file that was not opened")
    call expect_text(message, "not opened")
    call in%step(1, stat)
    call expect_status(stat, quire_usage, format // ": a reader that was not opened")
    call create(out, "errors", path)
    call out%step(0)
    call out%put("x", x)
    call out%commit()
    call out%commit(stat, message)
    call expect_status(stat, quire_usage, format // ": no step", message)
    call out%close()
    call out%close(stat)
    call expect_status(stat, quire_usage, format // ": closed twice")
    call quire_open(in, path // ".absent", stat=stat, errmsg=message)
    call expect(stat == quire_missing .or. stat == quire_io, format // ": an absent file")
    call expect_text(message, ".absent")
    call open_step(in, path, 0)
    call in%step(1, stat, message)
    call expect_status(stat, quire_missing, format // ": a missing step", message)
    call in%step(1.0, stat, message)
    call expect_status(stat, quire_usage, format // ": a step that is no integer", message)
    call in%step(0)
    call in%read("y", x, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, format // ": a missing column")
    call expect_text(message, "y")
    call in%read("x", small, stat=stat)
    call expect_status(stat, quire_type, format // ": 0.5 as an integer")
    call in%read("x", x, first=2, stat=stat)
    call expect_status(stat, quire_usage, format // ": rows after the end")
    call in%read("x", x, first=0, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": row 0", message)
    call expect_text(message, "count from 1")
    call options%set("no_such_option", "1")
    call quire_create(out, test_path("options"), options=options, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": an unknown option", message)
  end subroutine reports_errors

  !> What the module refuses itself, as what the C interface refuses, keeps the step out of the file.
  subroutine commits_no_wrong_step()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=1000) :: message
    real(real64), target :: x(n), y(n - 1)
    real(real64), allocatable, target :: absent(:)
    type(particle), target :: beam(n)
    integer :: stat, wrong
    if (quire_format_holds_one_step(format)) return
    x = 1
    y = 1
    beam%px = 1
    call create(out, "wrong", path)
    do wrong = 1, 5
      call out%step(wrong)
      call out%put("x", x)
      select case (wrong)
      case (1)
        call out%put("y", y, stat=stat, errmsg=message)
        call expect_text(message, "6 values where the table has 7 rows")
      case (2)
        call out%put("every other", x(1::2), stat=stat, errmsg=message)
        call expect_text(message, "put_copy")
      case (3)
        call out%put("px", beam%px, stat=stat, errmsg=message)
        call expect_text(message, "put_copy")
      case (4)
        call out%put("px", beam(1:1)%px, stat=stat, errmsg=message)
        call expect_text(message, "put_copy")
      case (5)
        call out%put("absent", absent, stat=stat, errmsg=message)
        call expect_text(message, "not allocated")
      end select
      call expect_status(stat, quire_usage, format // ": a wrong value", message)
      call out%commit(stat, message)
      call expect_status(stat, quire_usage, format // ": the commit of a wrong step", message)
    end do
    call out%step(8)
    call out%put("x", x)
    call out%abort("not needed")
    call out%step(9)
    call out%put("x", x)
    call out%commit()
    call out%close()
    call quire_open(in, path)
    call expect(size(in%steps()) == 1, format // ": only the right step is in the file")
    call expect(all(in%steps() == [9]), format // ": its number")
  end subroutine commits_no_wrong_step

  subroutine writes_at_once()
    type(quire_writer) :: out
    type(quire_options) :: options
    character(len=:), allocatable :: path
    character(len=1000) :: message
    integer :: stat
    filled = 4
    section = 5
    call create(out, "stepwise", path)
    call out%step(0)
    call out%set("time", 1.5_real64)
    call out%put("x", filled)
    call out%put_copy("y", section(1, :))
    call out%commit()
    call out%close()
    options%format = format
    call quire_write_file(test_path("at_once." // format), 0, fill, options=options)
    call expect(same_bytes(path, test_path("at_once." // format)), format // ": write_file writes the same bytes")
    call quire_write_file(test_path("refused." // format), 0, refuse, options=options, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": a fill that refuses", message)
    call quire_write_file(test_path("refused." // format), 0, fill_wrongly, options=options, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": a fill with a wrong array", message)
    call expect_text(message, "1 values where the table has 7 rows")
  end subroutine writes_at_once

  subroutine fill(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%set("time", 1.5_real64, stat=stat)
    call out%put("x", filled)
    call out%put_copy("y", section(1, :))
  end subroutine fill

  subroutine refuse(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%put("x", filled)
    stat = quire_usage
  end subroutine refuse

  subroutine fill_wrongly(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%put("x", filled)
    call out%put_copy("y", section(1, 1:1), stat=stat)
  end subroutine fill_wrongly

  subroutine appends()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: x(n)
    integer :: number, stat
    if (quire_format_holds_one_step(format)) return
    x = 1
    call create(out, "appended", path)
    do number = 10, 30, 10
      call out%step(number)
      call out%put("x", x)
      call out%commit()
    end do
    call out%close()
    call quire_append(out, path, after=20, stat=stat)
    call expect_status(stat, quire_conflict, format // ": later steps are kept")
    call quire_append(out, path, after=20, drop_later=.true.)
    call out%step(25)
    call out%put("x", x)
    call out%commit()
    call out%close()
    call quire_append(out, path)
    call out%step(35_int64)
    call out%put("x", x)
    call out%commit()
    call out%close()
    call quire_open(in, path)
    call expect(all(in%steps() == [10, 20, 25, 35]), format // ": steps of an appended file")
  end subroutine appends

  subroutine defines()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=1000) :: message
    integer :: stat
    call create(out, "defined", path)
    call out%define_column("x", quire_real64, unit="m", stat=stat, errmsg=message)
    if (stat == quire_unsupported) return
    call expect_status(stat, quire_ok, format // ": a column is defined", message)
    call out%define_attribute("s", quire_real64, unit="m")
    call out%close()
    call quire_open(in, path)
    call expect(size(in%steps()) == 0, format // ": a file of definitions has no steps")
  end subroutine defines

  subroutine releases_without_closing()
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: x(n)
    x = 1
    if (quire_format_holds_one_step(format)) return
    call leave()
    call quire_open(in, path)
    call expect(all(in%steps() == [0]), format // ": the committed step of a handle that is released")
    call quire_open(in, path)  ! again, in the same handle
    call expect(size(in%steps()) == 1, format // ": a handle that is used again")
  contains
    subroutine leave()
      type(quire_writer) :: out
      call create(out, "released", path)
      call out%step(0)
      call out%put("x", x)
      call out%commit()
      call out%step(2)
      call out%put("x", x)
    end subroutine leave
  end subroutine releases_without_closing
end module tables_cases

program tables_test
  use checks, only: expect, number_of_failures
  use quire, only: quire_format_holds_tables, quire_format_name
  use tables_cases, only: test_format
  implicit none (type, external)
  integer :: index, tested
  index = 1
  tested = 0
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_tables(quire_format_name(index))) then
      call test_format(quire_format_name(index))
      tested = tested + 1
    end if
    index = index + 1
  end do
  call expect(tested > 2, "there are several formats")
  if (number_of_failures() > 0) error stop 1
end program tables_test
