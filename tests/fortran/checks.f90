!> What the Fortran tests share: expectations that report their failure, and paths in the folder of the test.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int64
  implicit none (type, external)
  private
  public :: expect, expect_status, expect_text, test_path, same_bytes, number_of_failures

  integer :: failures = 0
  integer, public :: test_rank = 0

contains

  !> Counts a failure unless the condition is true.
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, "(a, i0, 2a)") "[rank ", test_rank, "] ", what
  end subroutine expect

  !> Counts a failure unless a call returned this status.
  subroutine expect_status(status, expected, what, message)
    integer, intent(in) :: status, expected
    character(len=*), intent(in) :: what
    character(len=*), intent(in), optional :: message
    character(len=16) :: found
    if (status == expected) return
    write (found, "(i0, a, i0)") status, " instead of ", expected
    if (present(message)) then
      call expect(.false., what // ": status " // trim(found) // ": " // trim(message))
    else
      call expect(.false., what // ": status " // trim(found))
    end if
  end subroutine expect_status

  !> Counts a failure unless a text contains another one.
  subroutine expect_text(text, part)
    character(len=*), intent(in) :: text, part
    call expect(index(text, part) > 0, "'" // part // "' is not in: " // trim(text))
  end subroutine expect_text

  !> A path in the folder of the test.
  function test_path(name) result(path)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: path
    integer :: length
    call get_environment_variable("QUIRE_TEST_DIRECTORY", length=length)
    allocate (character(len=length) :: path)
    call get_environment_variable("QUIRE_TEST_DIRECTORY", path)
    path = path // "/" // name
  end function test_path

  !> Whether two files are equal.
  logical function same_bytes(one, other)
    character(len=*), intent(in) :: one, other
    integer(int64) :: sizes(2)
    integer(int8), allocatable :: first(:), second(:)
    integer :: units(2)
    open (newunit=units(1), file=one, access="stream", form="unformatted", action="read")
    open (newunit=units(2), file=other, access="stream", form="unformatted", action="read")
    inquire (units(1), size=sizes(1))
    inquire (units(2), size=sizes(2))
    same_bytes = sizes(1) == sizes(2)
    if (same_bytes) then
      allocate (first(sizes(1)), second(sizes(2)))
      read (units(1)) first
      read (units(2)) second
      same_bytes = all(first == second)
    end if
    close (units(1))
    close (units(2))
  end function same_bytes

  integer function number_of_failures()
    number_of_failures = failures
  end function number_of_failures
end module checks
