!> Files that tests write on all of their ranks.
module files
  use checks, only: test_path
  use quire
  use world, only: communicator
  implicit none (type, external)
  private
  public :: create, open_step

contains

  !> A new file of a format.
  !> settings: each a name and a value, as "chunk=2"
  subroutine create(out, name, format, path, settings, stat)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: name, format
    character(len=:), allocatable, intent(out) :: path
    character(len=*), intent(in), optional :: settings(:)
    integer, intent(out), optional :: stat
    type(quire_options) :: options
    integer :: i, equals
    options%format = format
    if (present(settings)) then
      do i = 1, size(settings)
        equals = index(settings(i), "=")
        call options%set(settings(i)(:equals - 1), settings(i)(equals + 1:))
      end do
    end if
    path = test_path(name // "." // format)
    call quire_create(out, path, communicator, options, stat)
  end subroutine create

  subroutine open_step(in, path, number)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: path
    integer, intent(in) :: number
    call quire_open(in, path, communicator)
    call in%step(number)
  end subroutine open_step
end module files
