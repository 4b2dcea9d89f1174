!> The ranks of a test that runs with and without MPI: here all of MPI_COMM_WORLD.
module world
  use checks, only: expect, number_of_failures, test_rank
  use mpi_f08
  implicit none (type, external)
  private
  public :: begin_world, end_world

  integer, allocatable, public, protected :: communicator  !< for the procedures of quire; not allocated without MPI
  integer, public, protected :: ranks = 1

contains

  subroutine begin_world()
    character(len=8) :: wanted
    integer :: number
    call MPI_Init()
    communicator = MPI_COMM_WORLD%MPI_VAL
    call MPI_Comm_rank(MPI_COMM_WORLD, test_rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call get_environment_variable("QUIRE_TEST_RANKS", wanted)
    read (wanted, *) number
    call expect(number == ranks, "the number of ranks differs from QUIRE_TEST_RANKS")
  end subroutine begin_world

  !> Ends the program, with an error if an expectation failed on any rank.
  subroutine end_world()
    integer :: failures
    failures = number_of_failures()
    call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (failures > 0) error stop 1
  end subroutine end_world
end module world
