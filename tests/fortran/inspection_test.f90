!> Lists of texts as attributes, the state of files, their repair, and what formats hold.
module inspection_cases
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format, test_options, test_unknown_names

  character(len=4), parameter :: names(3) = ["BPM1", "Q2  ", "    "]

contains

  !> All cases with files of a format.
  !> is_damaged: whether the check of a cut file finds damage
  subroutine test_format(format, is_damaged)
    character(len=*), intent(in) :: format
    logical, intent(out) :: is_damaged
    type(quire_reader) :: in
    type(quire_check_report) :: report
    character(len=:), allocatable :: path
    logical :: has_texts
    call write_steps(format, path, has_texts)
    call quire_open(in, path, communicator)
    call in%check(report)
    call expect(all(report%whole == [0]) .and. size(report%whole) == 1, format // ": numbers of the whole steps")
    call expect(.not. (report%is_damaged .or. report%is_changed .or. report%is_being_written), format // ": state")
    call expect(report%damage == "" .and. size(report%damaged) == 0, format // ": a whole file has no damage")
    if (has_texts) call reads_texts(in, format)
    call in%close()
    call repairs(path, format, is_damaged)
  end subroutine test_format

  subroutine write_steps(format, path, has_texts)
    character(len=*), intent(in) :: format
    character(len=:), allocatable, intent(out) :: path
    logical, intent(out) :: has_texts
    type(quire_writer) :: out
    real(real64), target :: x(1000)
    character(len=1000) :: message
    integer :: stat
    x = test_rank
    call create(out, "inspected", format, path)
    call out%step(0)
    call out%set("monitors", names, stat, message)
    call out%put("x", x)
    call out%commit(stat, message)
    has_texts = stat == quire_ok
    if (.not. has_texts) then
      call expect_status(stat, quire_unsupported, format // ": a list of texts", message)
      call out%step(0)
      call out%put("x", x)
      call out%commit()
    end if
    call out%close()
  end subroutine write_steps

  subroutine reads_texts(in, format)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: format
    type(quire_reader) :: none
    type(quire_check_report) :: report
    character(len=:), allocatable, save :: texts(:)  ! without `save` GCC 12 takes its length for uninitialized
    character(len=1000) :: message
    integer :: stat
    call in%step(0)
    call in%get("monitors", texts)
    call expect(size(texts) == 3 .and. len(texts) == 4, format // ": number and length of texts")
    if (size(texts) == 3) call expect(all(texts == names), format // ": texts without trailing blanks")
    call none%check(report, stat)
    call expect_status(stat, quire_usage, "check without a file")
    call expect(size(report%whole) == 0 .and. report%damage == "", "an empty report after an error")
    call in%get("absent", texts, stat, message)
    call expect_status(stat, quire_missing, format // ": missing texts", message)
    call expect(size(texts) == 0, format // ": no texts after an error")
  end subroutine reads_texts

  !> A whole file stays as it is, and one that was cut if it has rows that can be recovered.
  subroutine repairs(path, format, is_damaged)
    character(len=*), intent(in) :: path, format
    logical, intent(out) :: is_damaged
    type(quire_reader) :: in
    type(quire_check_report) :: report
    character(len=:), allocatable :: cut
    character(len=1000) :: message
    logical :: changed
    integer :: stat
    changed = .true.
    call quire_repair(path, communicator, changed=changed)
    call expect(.not. changed, format // ": a whole file is not changed")
    call quire_repair(test_path("absent." // format), communicator, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, format // ": repair of a missing file", message)
    cut = test_path("cut." // format)
    if (test_rank == 0) call copy_half(path, cut)
    call wait_for_ranks()
    is_damaged = .false.
    call quire_open(in, cut, communicator, stat=stat)
    if (stat == quire_ok) then
      call in%check(report, stat)
      is_damaged = stat == quire_ok .and. report%is_damaged .and. report%damage /= ""
      call expect(size(report%damages) == size(report%damaged), format // ": the damage of each damaged step")
      call in%close(stat)
    end if
    if (.not. is_damaged) return
    call quire_repair(cut, communicator, dropped=report%damaged, changed=changed, stat=stat, errmsg=message)
    call expect_status(stat, quire_ok, format // ": repair of a cut file", message)
    call expect(changed .neqv. report%is_salvageable, format // ": rows that can be recovered are kept, others dropped")
  end subroutine repairs

  subroutine copy_half(path, cut)
    character(len=*), intent(in) :: path, cut
    integer(int8), allocatable :: bytes(:)
    integer(int64) :: length
    integer :: unit
    open (newunit=unit, file=path, access="stream", form="unformatted", action="read")
    inquire (unit=unit, size=length)
    allocate (bytes(length / 2))
    read (unit) bytes
    close (unit)
    open (newunit=unit, file=cut, access="stream", form="unformatted", action="write", status="replace")
    write (unit) bytes
    close (unit)
  end subroutine copy_half

  !> All ranks find the file that rank 0 has written: a collective call on another one comes after it.
  subroutine wait_for_ranks()
    logical :: changed
    integer :: stat
    call quire_repair(test_path("absent"), communicator, changed=changed, stat=stat)
    call expect(stat == quire_missing .and. .not. changed, "a missing file of no suffix")
  end subroutine wait_for_ranks

  !> The options of a format are found by their numbers, and those of all formats.
  subroutine test_options(format)
    character(len=*), intent(in) :: format
    type(quire_format_info) :: info
    type(quire_option_info) :: option
    integer :: index
    info = quire_format_info(format)
    call expect(info%name == format .and. info%title /= "", format // ": name and title")
    call expect(info%holds_one_step .eqv. quire_format_holds_one_step(format), format // ": one step")
    do index = 1, info%write_options
      option = quire_option_info(format, .true., index)
      call expect(option%name /= "" .and. option%help /= "", format // ": an option of the writer")
      if (size(option%choices) > 0) then
        call expect(any(option%choices == option%preset), format // ": the default of " // option%name // " is a choice")
      end if
    end do
    option = quire_option_info(format, .true., info%write_options + 1)
    call expect(option%name == "" .and. size(option%choices) == 0, format // ": after the last option")
    option = quire_option_info(format, .false., info%read_options + 1)
    call expect(option%name == "", format // ": after the last option of the reader")
    option = quire_option_info("", .true., 1)
    call expect(option%name /= "", "an option of all formats")
  end subroutine test_options

  subroutine test_unknown_names()
    type(quire_format_info) :: info
    type(quire_option_info) :: option
    info = quire_format_info("unknown")
    call expect(info%name == "" .and. info%write_options == 0, "an unknown format")
    option = quire_option_info("unknown", .true., 1)
    call expect(option%name == "", "an option of an unknown format")
    option = quire_option_info("", .true., 0)
    call expect(option%name == "", "options count from 1")
    call expect(scan(quire_version(), ".") > 0, "the version")
  end subroutine test_unknown_names
end module inspection_cases

program inspection_test
  use checks, only: expect
  use inspection_cases
  use quire, only: quire_format_holds_tables, quire_format_name
  use world, only: begin_world, end_world
  implicit none (type, external)
  character(len=:), allocatable :: format
  logical :: is_damaged, found_damage
  integer :: index
  call begin_world()
  index = 1
  found_damage = .false.
  do while (quire_format_name(index) /= "")
    format = quire_format_name(index)
    call test_options(format)
    if (quire_format_holds_tables(format)) then
      call test_format(format, is_damaged)
      found_damage = found_damage .or. is_damaged
    end if
    index = index + 1
  end do
  call expect(found_damage, "the check of a cut file finds damage")
  call test_unknown_names()
  call end_world()
end program inspection_test
