!> examples/fodo in Fortran: the same files as those of the program in C++, on any number of ranks.
!>
!>     mpiexec -n 4 fodo_fortran beam.h5 --particles 20000 --cells 40 --every 10 [--format NAME]
!>                               [--async] [--restart-from beam.h5 --restart-step 20]
program fodo_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use fodo_moments, only: measure, moments
  use fodo_physics, only: bunch, cell_map, cell_map_of, channel, coordinates, make_bunch, names, track
  use mpi_f08
  use quire_mpi
  implicit none (type, external)

  character(len=5), parameter :: units(coordinates) = ["m", "1", "m", "1", "m", "1"]
  character(len=40), parameter :: descriptions(coordinates) = [character(len=40) :: "horizontal position", &
    "horizontal momentum Px/P0", "vertical position", "vertical momentum Py/P0", &
    "position ahead of the reference particle", "relative momentum deviation (P-P0)/P0"]
  character(len=17), parameter :: constants(9) = [character(len=17) :: "gamma", "quadrupole", "quadrupole_length", &
    "drift_length", "sextupole", "rf", "rf_wave_number", "rf_cubic", "rf_quintic"]
  character(len=5), parameter :: constant_units(9) = [character(len=5) :: "1", "1/m^2", "m", "m", "1/m^2", "1", "1/m", &
    "1", "1"]
  character(len=52), parameter :: constant_descriptions(9) = [character(len=52) :: &
    "Lorentz factor of the reference particle", "quadrupole strength k1", "length of a quadrupole", &
    "length of a drift", "integrated sextupole strength k2 L", "largest relative change of momentum in a cavity", &
    "wave number of the cavities", "cubic coefficient of the cavity's kick", "quintic coefficient of the cavity's kick"]

  type(channel) :: line
  type(cell_map) :: cell
  type(bunch), target :: particles
  type(quire_writer) :: out
  type(quire_options) :: options
  integer(int64) :: passed, next, cells, every, total, first, count
  integer :: rank, ranks
  logical :: is_async  ! a step is written while the next one is tracked

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  total = number_of("--particles", 10000)
  cells = number_of("--cells", 100)
  every = number_of("--every", 10)
  is_async = has("--async")
  passed = 0
  if (text_of("--restart-from") /= "") then
    call restart(text_of("--restart-from"))
    cell = cell_map_of(line)
  else
    cell = cell_map_of(line)
    call quire_share(total, rank, ranks, first, count)
    particles = make_bunch(cell, first - 1, count)
  end if

  if (text_of("--format") /= "") options%format = text_of("--format")
  call quire_create(out, argument(1), MPI_COMM_WORLD, options)
  call describe()
  if (text_of("--restart-from") == "") call write_step()
  do while (passed < cells)
    next = min(cells, (passed / every + 1) * every)
    call track(particles, cell, next - passed)
    passed = next
    call write_step()
  end do
  call out%close()
  call MPI_Finalize()

contains

  !> The constants of the channel are attributes of the file, so that a restart needs nothing else.
  subroutine describe()
    integer :: i
    call out%set_title("FODO channel", "particles")
    do i = 1, size(constants)
      call out%set_description(constant_descriptions(i))
      call out%set(constants(i), line%values(i), unit=constant_units(i))
    end do
  end subroutine describe

  !> Collective.
  subroutine write_step()
    type(moments) :: found
    real(real64) :: s
    integer :: c
    found = measure(particles, MPI_COMM_WORLD)
    s = real(passed, real64) * (2 * (line%values(3) + line%values(4)))
    call out%step(passed)
    call out%set_description("distance along the channel")
    call out%set("s", s, unit="m")
    call out%set_description("cells passed")
    call out%set("cell", passed)
    call out%set_description("number of particles")
    call out%set("particles", found%particles)
    do c = 1, coordinates
      call out%set_description("centroid of the " // descriptions(c))
      call out%set("C" // names(c), found%centroid(c), unit=units(c))
    end do
    do c = 1, coordinates
      call out%set_description("rms of the " // descriptions(c))
      call out%set("S" // names(c), found%rms(c), unit=units(c))
    end do
    do c = 1, 3
      call out%set_description("projected geometric emittance in " // names(2 * c - 1))
      call out%set("e" // names(2 * c - 1), found%emittance(c), unit="m")
    end do
    do c = 1, coordinates
      call out%set_description(descriptions(c))
      call out%put(names(c), particles%at(:, c), unit=units(c))
    end do
    call out%set_description("place of the particle in the bunch")
    call out%put("id", particles%id)
    if (is_async) then
      call out%commit_async()
    else
      call out%commit()
    end if
    if (rank == 0) print "(a, i6, a, f9.3, a, es13.6, a)", "cell ", passed, "  s ", s, " m  ex ", found%emittance(1), " m"
  end subroutine write_step

  !> Collective. The channel and this rank's share of the particles of a step, on any number of ranks.
  subroutine restart(path)
    character(len=*), intent(in) :: path
    type(quire_reader) :: in
    integer :: i
    call quire_open(in, path, MPI_COMM_WORLD)
    do i = 1, size(constants)
      call in%get(constants(i), line%values(i))
    end do
    associate (steps => in%steps())
      passed = number_of("--restart-step", int(steps(size(steps))))
    end associate
    call in%step(passed)
    call quire_share(in%rows(), rank, ranks, first, count)
    allocate (particles%at(count, coordinates), particles%id(count))
    do i = 1, coordinates
      call in%read_all(names(i), particles%at(:, i), first=first)
    end do
    call in%read_all("id", particles%id, first=first)
    call in%close()
  end subroutine restart

  function argument(index) result(text)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(index, length=length)
    allocate (character(len=length) :: text)
    call get_command_argument(index, text)
  end function argument

  !> Whether there is an argument `name`.
  logical function has(name)
    character(len=*), intent(in) :: name
    integer :: i
    has = any([(argument(i) == name, i=2, command_argument_count())])
  end function has

  !> The argument after `name`; empty without it.
  function text_of(name) result(text)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: text
    integer :: i
    text = ""
    do i = 2, command_argument_count() - 1
      if (argument(i) == name) text = argument(i + 1)
    end do
  end function text_of

  integer(int64) function number_of(name, preset)
    character(len=*), intent(in) :: name
    integer, intent(in) :: preset
    character(len=:), allocatable :: text
    number_of = preset
    text = text_of(name)
    if (text /= "") read (text, *) number_of
  end function number_of
end program fodo_fortran
