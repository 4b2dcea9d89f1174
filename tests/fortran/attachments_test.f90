!> Files that are stored inside files.
module attachments_cases
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format

  character(len=*), parameter :: input = "&run" // new_line("a") // " turns = 20 /" // new_line("a") // "  "

contains

  !> All cases with files of a format; false if it has no attachments.
  logical function test_format(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_info) :: info
    character(len=:), allocatable :: path, content
    character(len=1000) :: message
    integer :: stat
    call create(out, "attached", format, path)
    call out%attach("input.nml", input, stat=stat, errmsg=message)
    test_format = stat /= quire_unsupported
    if (.not. test_format) return
    call expect_status(stat, quire_ok, format // ": attach", message)
    call out%attach("lattice.txt", merge("FODO", "    ", test_rank == 0))
    call out%attach("empty", "")
    call out%attach("dropped", "x")
    call refuses_wrong_attachments(out, format)
    call out%attach("lattice.txt", "FODO cell", replace=.true.)
    call out%detach("dropped")
    call write_step(out)

    call open_step(in, path, 0)
    call expect(in%count(quire_attachments) == 3, format // ": number of attachments")
    call expect(in%name(quire_attachments, 1) == "empty", format // ": their names are sorted")
    info = in%info(quire_attachments, "input.nml")
    call expect(info%count == len(input, kind=int64), format // ": size of an attachment")
    call in%read_attachment("input.nml", content)
    call expect(content == input .and. len(content) == len(input), format // ": blanks at the end are kept")
    call in%read_attachment("lattice.txt", content)
    call expect(content == "FODO cell", format // ": an attachment that was replaced")
    call in%read_attachment("empty", content)
    call expect(len(content) == 0, format // ": an empty attachment")
    call in%read_attachment("dropped", content, stat, message)
    call expect_status(stat, quire_missing, format // ": a missing attachment", message)
    call expect(len(content) == 0, format // ": no content after an error")
    call in%close()
  end function test_format

  subroutine write_step(out)
    type(quire_writer), intent(inout) :: out
    real(real64), target :: x(3)
    x = test_rank
    call out%step(0)
    call out%put("x", x)
    call out%commit()
    call out%close()
  end subroutine write_step

  !> Of one rank, they fail on all ranks.
  subroutine refuses_wrong_attachments(out, format)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: format
    type(quire_writer) :: none
    character(len=1000) :: message
    integer :: stat
    call out%attach("input.nml", input, stat=stat, errmsg=message)
    call expect_status(stat, quire_conflict, format // ": attached twice", message)
    call out%attach(merge("       ", "another", test_rank == ranks - 1), input, stat=stat, errmsg=message)
    call expect(stat /= quire_ok, format // ": no name on one rank")
    call out%detach("absent", stat, message)
    call expect_status(stat, quire_missing, format // ": detach what is not there", message)
    call out%detach(merge("absent ", "dropped", test_rank == ranks - 1), stat, message)
    call expect(stat /= quire_ok, format // ": a missing name on one rank")
    call none%attach("input.nml", input, stat=stat)
    call expect_status(stat, quire_usage, "attach without a file")
    call none%detach("input.nml", stat)
    call expect_status(stat, quire_usage, "detach without a file")
  end subroutine refuses_wrong_attachments
end module attachments_cases

program attachments_test
  use attachments_cases
  use checks, only: expect
  use quire, only: quire_format_holds_tables, quire_format_name
  use world, only: begin_world, end_world
  implicit none (type, external)
  integer :: index, tested
  call begin_world()
  index = 1
  tested = 0
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_tables(quire_format_name(index))) then
      if (test_format(quire_format_name(index))) tested = tested + 1
    end if
    index = index + 1
  end do
  call expect(tested > 0, "a format has attachments")
  call end_world()
end program attachments_test
