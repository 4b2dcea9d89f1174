!> The procedures of the module quire that open files, for communicators of mpi_f08. A program that uses mpi_f08 uses
!> this module instead of quire.
module quire_mpi
  use mpi_f08, only: MPI_Comm
  use quire
  implicit none (type, external)
  public

  interface quire_create
    module procedure create_file
  end interface quire_create

  interface quire_append
    module procedure append_file
  end interface quire_append

  interface quire_open
    module procedure open_file
  end interface quire_open

  interface quire_write_file
    module procedure write_file
  end interface quire_write_file

  interface quire_repair
    module procedure repair_file
  end interface quire_repair

  private :: create_file, append_file, open_file, write_file, repair_file, MPI_Comm

contains

  subroutine create_file(out, path, communicator, options, stat, errmsg)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: path
    type(MPI_Comm), intent(in) :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call quire_create(out, path, communicator%MPI_VAL, options, stat, errmsg)
  end subroutine create_file

  subroutine append_file(out, path, communicator, after, drop_later, options, stat, errmsg)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: path
    type(MPI_Comm), intent(in) :: communicator
    type(*), dimension(..), intent(in), optional :: after
    logical, intent(in), optional :: drop_later
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call quire_append(out, path, communicator%MPI_VAL, after, drop_later, options, stat, errmsg)
  end subroutine append_file

  subroutine open_file(in, path, communicator, options, stat, errmsg)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: path
    type(MPI_Comm), intent(in) :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call quire_open(in, path, communicator%MPI_VAL, options, stat, errmsg)
  end subroutine open_file

  subroutine write_file(path, number, fill, communicator, options, stat, errmsg)
    character(len=*), intent(in) :: path
    type(*), dimension(..), intent(in) :: number
    procedure(quire_fill) :: fill
    type(MPI_Comm), intent(in) :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call quire_write_file(path, number, fill, communicator%MPI_VAL, options, stat, errmsg)
  end subroutine write_file

  subroutine repair_file(path, communicator, dropped, changed, options, stat, errmsg)
    character(len=*), intent(in) :: path
    type(MPI_Comm), intent(in) :: communicator
    type(*), dimension(..), intent(in), optional :: dropped
    logical, intent(out), optional :: changed
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call quire_repair(path, communicator%MPI_VAL, dropped, changed, options, stat, errmsg)
  end subroutine repair_file
end module quire_mpi
