!> Steps that are written in the background.
module commit_async_cases
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format, refuses_handles_without_a_file, refuses_a_commit_in_a_fill

  integer, parameter :: n = 1000
  character(len=:), allocatable :: format
  real(real64), target :: filled(n)  ! what the fill procedure puts
  integer :: status_in_fill

contains

  !> All cases with files of a format.
  subroutine test_format(name)
    character(len=*), intent(in) :: name
    format = name
    call writes_the_bytes_of_commit()
    call agrees_on_wrong_steps()
  end subroutine test_format

  !> The number of the last step, from 0 on.
  integer function last_step()
    last_step = merge(0, 3, quire_format_holds_one_step(format))
  end function last_step

  pure function values_of(number) result(values)
    integer, intent(in) :: number
    real(real64) :: values(n)
    integer :: i
    values = [(number + 0.5_real64 * (i + n * test_rank), i=1, n)]
  end function values_of

  !> A column that is referred to, and one that is copied because it is no target.
  subroutine put_step(out, number, x)
    type(quire_writer), intent(inout) :: out
    integer, intent(in) :: number
    real(real64), intent(inout), target :: x(n)
    x = values_of(number)
    call out%step(number)
    call out%put("x", x, unit="m")
    call out%put_copy("y", -x)
  end subroutine put_step

  subroutine writes_the_bytes_of_commit()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: plain, path
    real(real64), target :: x(n)
    real(real64) :: found(n)
    integer :: number
    logical :: done
    call create(out, "plain", format, plain)
    do number = 0, last_step()
      call put_step(out, number, x)
      call out%commit()
    end do
    call out%close()

    call create(out, "overlap", format, path)
    if (last_step() > 0) call expect(out%overlaps(), format // ": the file overlaps")
    do number = 0, last_step()
      call put_step(out, number, x)
      select case (number)
      case (1)
        call out%commit_async(borrow=.true.)
        call out%wait()
      case (2)
        call out%commit_async(borrow=.false.)
        x = -1
        done = .false.
        do while (.not. done)
          call out%test(done)
        end do
      case default
        call out%commit_async()
      end select
      x = -1
    end do
    call out%close()
    if (test_rank == 0) call expect(same_bytes(plain, path), format // ": the bytes of commit")

    call open_step(in, path, last_step())
    call in%read_all("x", found, first=n * test_rank + 1)
    call expect(all(found == values_of(last_step())), format // ": the values of the last step")
    call expect(in%rows() == n * ranks, format // ": the rows of all ranks")
    call in%close()
  end subroutine writes_the_bytes_of_commit

  subroutine agrees_on_wrong_steps()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=1000) :: message
    real(real64), target :: x(n), short(1)
    integer :: stat
    short = 0
    call create(out, "wrong", format, path)
    call out%commit_async(stat=stat)
    call expect_status(stat, quire_usage, format // ": no step is open")
    call put_step(out, 0, x)
    if (test_rank == ranks - 1) call out%put("z", short, stat=stat)
    call out%commit_async(stat=stat, errmsg=message)
    call expect_status(stat, merge(quire_usage, quire_aborted, test_rank == ranks - 1), &
                       format // ": a wrong column on one rank", message)
    call expect_text(message, "rows on this rank")
    call out%wait()
    call put_step(out, 0, x)
    call out%commit_async()
    if (.not. quire_format_holds_one_step(format)) then
      call put_step(out, 1, x)
      if (test_rank == ranks - 1) then
        call out%abort("no particles", stat)
      else
        call out%commit_async(stat=stat, errmsg=message)
        call expect_status(stat, quire_aborted, format // ": a rank left the step", message)
      end if
    end if
    call out%close(stat, message)
    call expect_status(stat, quire_ok, format // ": close after errors", message)
    call quire_open(in, path, communicator, stat=stat, errmsg=message)
    call expect_status(stat, quire_ok, format // ": open after errors", message)
    call expect(size(in%steps()) == 1, format // ": only the right step is in the file")
    call in%close()
  end subroutine agrees_on_wrong_steps

  subroutine refuses_handles_without_a_file()
    type(quire_writer) :: out
    integer :: stat
    logical :: done
    call expect(.not. out%overlaps(), "no file overlaps")
    call out%commit_async(stat=stat)
    call expect_status(stat, quire_usage, "commit_async without a file")
    call out%wait(stat)
    call expect_status(stat, quire_usage, "wait without a file")
    done = .true.
    call out%test(done, stat)
    call expect_status(stat, quire_usage, "test without a file")
    call expect(.not. done, "done after an error")
  end subroutine refuses_handles_without_a_file

  !> The step of quire_write_file() keeps its copies although its fill calls what ends a step.
  subroutine refuses_a_commit_in_a_fill()
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64) :: found(n)
    path = test_path("fill.h5")
    filled = values_of(7)
    call quire_write_file(path, 1, fill, communicator)
    call expect_status(status_in_fill, quire_usage, "commit_async in a fill")
    call open_step(in, path, 1)
    call in%read_all("x", found, first=n * test_rank + 1)
    call expect(all(found == filled), "the values of a fill")
    call in%close()
  end subroutine refuses_a_commit_in_a_fill

  subroutine fill(out, stat)
    type(quire_writer), intent(inout) :: out
    integer, intent(inout) :: stat
    call out%put_copy("x", filled, stat=stat)
    call out%commit_async(stat=status_in_fill)
  end subroutine fill
end module commit_async_cases

program commit_async_test
  use commit_async_cases
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
  call refuses_handles_without_a_file()
  call refuses_a_commit_in_a_fill()
  call end_world()
end program commit_async_test
