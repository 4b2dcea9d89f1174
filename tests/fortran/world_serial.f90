!> The ranks of a test that runs with and without MPI: here one process.
module world
  use checks, only: number_of_failures
  implicit none (type, external)
  private
  public :: begin_world, end_world

  integer, allocatable, public, protected :: communicator  !< for the procedures of quire; not allocated without MPI
  integer, public, protected :: ranks = 1

contains

  subroutine begin_world()
  end subroutine begin_world

  !> Ends the program, with an error if an expectation failed.
  subroutine end_world()
    if (number_of_failures() > 0) error stop 1
  end subroutine end_world
end module world
