!> The particles and the channel of examples/fodo, with the same bits as in C++: see physics.hpp and random.hpp there for
!> units and sources. All constants are made by +, -, *, / and sqrt alone.
module fodo_physics
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none (type, external)
  private
  public :: make_bunch, cell_map_of, track

  integer, parameter, public :: coordinates = 6
  integer, parameter :: x = 1, px = 2, y = 3, py = 4, z = 5, delta = 6
  character(len=5), parameter, public :: names(coordinates) = ["x    ", "px   ", "y    ", "py   ", "z    ", "delta"]

  !> The particles of one rank: a column for each coordinate, and their places in the whole bunch, from 0.
  type, public :: bunch
    real(real64), allocatable :: at(:, :)
    integer(int64), allocatable :: id(:)
  end type bunch

  !> The constants of the channel, in the order of their attributes.
  type, public :: channel
    real(real64) :: values(9) = [1.2132_real64, 5.0_real64, 0.2_real64, 0.8_real64, 10.0_real64, 0.002_real64, &
                                 7.4_real64, -1.0_real64 / 6, 1.0_real64 / 120]
  end type channel

  !> A linear map of one plane: (q, p) becomes (qq q + qp p, pq q + pp p).
  type :: plane_map
    real(real64) :: qq = 1, qp = 0, pq = 0, pp = 1
  end type plane_map

  !> The linear part of the channel between two kicks.
  type :: piece
    type(plane_map) :: x, y
    real(real64) :: slip = 0
  end type piece

  !> The map of one cell.
  type, public :: cell_map
    private
    type(piece) :: pieces(3)
    real(real64) :: half_sextupole, rf_linear, rf_cubic, rf_quintic
  end type cell_map

contains

  pure type(plane_map) function quadrupole(strength, length)
    real(real64), intent(in) :: strength, length
    real(real64) :: cosine, sine, term
    integer :: n
    cosine = 0
    sine = 0
    term = 1
    do n = 0, 29
      cosine = cosine + term
      sine = sine + term * length / (2 * n + 1)
      term = term * (-strength * length * length / ((2 * n + 1) * (2 * n + 2)))
    end do
    quadrupole = plane_map(cosine, sine, -strength * sine, cosine)
  end function quadrupole

  pure type(plane_map) function drift(length)
    real(real64), intent(in) :: length
    drift = plane_map(1.0_real64, length, 0.0_real64, 1.0_real64)
  end function drift

  !> The map that applies `first`, then `second`.
  pure type(plane_map) function after(second, first)
    type(plane_map), intent(in) :: second, first
    after = plane_map(second%qq * first%qq + second%qp * first%pq, second%qq * first%qp + second%qp * first%pp, &
                      second%pq * first%qq + second%pp * first%pq, second%pq * first%qp + second%pp * first%pp)
  end function after

  pure type(cell_map) function cell_map_of(what) result(cell)
    type(channel), intent(in) :: what
    type(plane_map) :: half_focusing, half_defocusing, focusing, defocusing, gap
    real(real64) :: half_length, slip
    associate (gamma => what%values(1), k1 => what%values(2), length => what%values(3), drift_length => what%values(4), &
               sextupole => what%values(5), rf => what%values(6), wave => what%values(7), cubic => what%values(8), &
               quintic => what%values(9))
      cell%half_sextupole = sextupole / 2
      cell%rf_linear = -rf * wave
      cell%rf_cubic = cell%rf_linear * cubic * wave * wave
      cell%rf_quintic = cell%rf_linear * quintic * wave * wave * wave * wave
      half_length = length / 2
      half_focusing = quadrupole(k1, half_length)
      half_defocusing = quadrupole(-k1, half_length)
      focusing = quadrupole(k1, length)
      defocusing = quadrupole(-k1, length)
      gap = drift(drift_length)
      slip = 1 / (gamma * gamma)
      cell%pieces(1) = piece(half_focusing, half_defocusing, slip * half_length)
      cell%pieces(2) = piece(after(defocusing, gap), after(focusing, gap), slip * (drift_length + length))
      cell%pieces(3) = piece(after(half_focusing, gap), after(half_defocusing, gap), slip * (drift_length + half_length))
    end associate
  end function cell_map_of

  !> Moves every particle through `cells` cells.
  pure subroutine track(particles, cell, cells)
    type(bunch), intent(inout) :: particles
    type(cell_map), intent(in) :: cell
    integer(int64), intent(in) :: cells
    real(real64) :: at(coordinates)
    integer(int64) :: i, n
    do i = 1, size(particles%id, kind=int64)
      at = particles%at(i, :)
      do n = 1, cells
        call pass_cell(at, cell)
      end do
      particles%at(i, :) = at
    end do
  end subroutine track

  pure subroutine pass_cell(at, cell)
    real(real64), intent(inout) :: at(coordinates)
    type(cell_map), intent(in) :: cell
    real(real64) :: square
    call move(at, cell%pieces(1))
    call kick(at, cell%half_sextupole)
    call move(at, cell%pieces(2))
    call kick(at, -cell%half_sextupole)
    call move(at, cell%pieces(3))
    square = at(z) * at(z)
    at(delta) = at(delta) + at(z) * (cell%rf_linear + square * (cell%rf_cubic + square * cell%rf_quintic))
  end subroutine pass_cell

  pure subroutine move(at, part)
    real(real64), intent(inout) :: at(coordinates)
    type(piece), intent(in) :: part
    real(real64) :: old_x, old_y
    old_x = at(x)
    old_y = at(y)
    at(x) = part%x%qq * old_x + part%x%qp * at(px)
    at(px) = part%x%pq * old_x + part%x%pp * at(px)
    at(y) = part%y%qq * old_y + part%y%qp * at(py)
    at(py) = part%y%pq * old_y + part%y%pp * at(py)
    at(z) = at(z) + part%slip * at(delta)
  end subroutine move

  pure subroutine kick(at, half_strength)
    real(real64), intent(inout) :: at(coordinates)
    real(real64), intent(in) :: half_strength
    at(px) = at(px) - half_strength * (at(x) * at(x) - at(y) * at(y))
    at(py) = at(py) + 2 * half_strength * at(x) * at(y)
  end subroutine kick

  !> Particles [first, first + count), from 0, of a bunch that is matched to the linear channel in x and y.
  pure type(bunch) function make_bunch(cell, first, count) result(made)
    type(cell_map), intent(in) :: cell
    integer(int64), intent(in) :: first, count
    real(real64), parameter :: emittance = 1e-6_real64
    real(real64), parameter :: offset(coordinates) = [1e-3_real64, 0.0_real64, -5e-4_real64, 0.0_real64, 0.0_real64, &
                                                      0.0_real64]
    real(real64) :: at(coordinates), horizontal(3), vertical(3)
    integer(int64) :: i
    integer :: c
    horizontal = ellipse(after(after(cell%pieces(3)%x, cell%pieces(2)%x), cell%pieces(1)%x), emittance)
    vertical = ellipse(after(after(cell%pieces(3)%y, cell%pieces(2)%y), cell%pieces(1)%y), emittance)
    allocate (made%at(count, coordinates), made%id(count))
    do i = 1, count
      made%id(i) = first + i - 1
      do c = 1, coordinates
        at(c) = gaussian(made%id(i), int(c - 1, int64))
      end do
      at(px) = horizontal(2) * (at(px) - horizontal(3) * at(x))
      at(x) = at(x) * horizontal(1)
      at(py) = vertical(2) * (at(py) - vertical(3) * at(y))
      at(y) = at(y) * vertical(1)
      at(z) = at(z) * 0.01_real64
      at(delta) = at(delta) * 1e-3_real64
      made%at(i, :) = at + offset
    end do
  end function make_bunch

  !> The amplitudes of q and p, and alpha, of the matched ellipse.
  pure function ellipse(map, emittance) result(found)
    type(plane_map), intent(in) :: map
    real(real64), intent(in) :: emittance
    real(real64) :: found(3), cosine, sine, beta
    cosine = (map%qq + map%pp) / 2
    sine = sign(sqrt(1 - cosine * cosine), map%qp)
    beta = map%qp / sine
    found = [sqrt(emittance * beta), sqrt(emittance / beta), (map%qq - map%pp) / (2 * sine)]
  end function ellipse

  !> The sum of twelve uniform numbers of the generator philox4x32-10, for seed 1.
  pure real(real64) function gaussian(particle, coordinate)
    integer(int64), intent(in) :: particle, coordinate
    integer(int64), parameter :: low_half = int(z"FFFFFFFF", int64)
    integer(int64) :: total, block
    total = -6 * low_half
    do block = 0, 2
      total = total + sum(philox([iand(particle, low_half), ishft(particle, -32), coordinate, block], [1_int64, 0_int64]))
    end do
    gaussian = real(total, real64) * 2.0_real64**(-32)
  end function gaussian

  !> Words of 32 bits.
  pure function philox(start, first_key) result(counter)
    integer(int64), intent(in) :: start(4), first_key(2)
    integer(int64), parameter :: low_half = int(z"FFFFFFFF", int64)
    integer(int64), parameter :: multiplier(2) = [int(z"D2511F53", int64), int(z"CD9E8D57", int64)]
    integer(int64), parameter :: key_step(2) = [int(z"9E3779B9", int64), int(z"BB67AE85", int64)]
    integer(int64) :: counter(4), key(2), first(2), second(2)
    integer :: round
    counter = start
    key = first_key
    do round = 1, 10
      first = product_of(multiplier(1), counter(1))
      second = product_of(multiplier(2), counter(3))
      counter = [ieor(ieor(second(2), counter(2)), key(1)), second(1), ieor(ieor(first(2), counter(4)), key(2)), first(1)]
      key = iand(key + key_step, low_half)
    end do
  end function philox

  !> The low and the high half of the product of two words: 64 bits without a sign, which no integer here has.
  pure function product_of(a, b) result(halves)
    integer(int64), intent(in) :: a, b
    integer(int64) :: halves(2), low, middle
    low = a * iand(b, 65535_int64)
    middle = a * ishft(b, -16) + ishft(low, -16)
    halves = [ior(ishft(iand(middle, 65535_int64), 16), iand(low, 65535_int64)), ishft(middle, -16)]
  end function product_of
end module fodo_physics
