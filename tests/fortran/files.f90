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
  !> setting: a name and a value, as "chunk=2"
  subroutine create(out, name, format, path, setting, stat)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: name, format
    character(len=:), allocatable, intent(out) :: path
    character(len=*), intent(in), optional :: setting
    integer, intent(out), optional :: stat
    type(quire_options) :: options
    options%format = format
    if (present(setting)) call options%set(setting(:index(setting, "=") - 1), setting(index(setting, "=") + 1:))
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
