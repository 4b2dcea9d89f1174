!> Moments of the whole bunch, whose bits do not depend on the number of ranks: see moments.hpp and exact_sum.hpp.
module fodo_moments
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use fodo_physics, only: bunch, coordinates
  implicit none (type, external)
  private
  public :: measure

  type, public :: moments
    integer(int64) :: particles = 0
    real(real64) :: centroid(coordinates) = 0
    real(real64) :: rms(coordinates) = 0
    real(real64) :: emittance(3) = 0
  end type moments

  integer, parameter :: last_chunk = 67

  !> A sum of finite numbers without rounding: chunks of 32 bits, the last one with the sign. Of at most 2^30 numbers.
  type :: exact_sum
    integer(int64) :: chunks(0:last_chunk) = 0
  contains
    procedure :: add
    procedure :: rounded
  end type exact_sum

contains

  !> Collective. Two allreduces.
  type(moments) function measure(particles, communicator) result(found)
    type(bunch), intent(in) :: particles
    type(MPI_Comm), intent(in) :: communicator
    type(exact_sum) :: sums(coordinates + 3)
    real(real64) :: count, from(coordinates), qq, pp, qp
    integer(int64) :: i, mine
    integer :: c, plane
    mine = size(particles%id, kind=int64)
    call MPI_Allreduce(mine, found%particles, 1, MPI_INTEGER8, MPI_SUM, communicator)
    if (found%particles == 0) return
    count = real(found%particles, real64)
    do c = 1, coordinates
      do i = 1, mine
        call sums(c)%add(particles%at(i, c))
      end do
    end do
    call sum_over_ranks(sums, communicator)
    do c = 1, coordinates
      found%centroid(c) = sums(c)%rounded() / count
    end do

    sums = exact_sum()
    do i = 1, mine
      from = particles%at(i, :) - found%centroid
      do c = 1, coordinates
        call sums(c)%add(from(c) * from(c))
      end do
      do plane = 1, 3
        call sums(coordinates + plane)%add(from(2 * plane - 1) * from(2 * plane))
      end do
    end do
    call sum_over_ranks(sums, communicator)
    do c = 1, coordinates
      found%rms(c) = sqrt(sums(c)%rounded() / count)
    end do
    do plane = 1, 3
      qq = sums(2 * plane - 1)%rounded() / count
      pp = sums(2 * plane)%rounded() / count
      qp = sums(coordinates + plane)%rounded() / count
      found%emittance(plane) = sqrt(max(0.0_real64, qq * pp - qp * qp))
    end do
  end function measure

  subroutine sum_over_ranks(sums, communicator)
    type(exact_sum), intent(inout) :: sums(:)
    type(MPI_Comm), intent(in) :: communicator
    integer(int64) :: words(0:last_chunk, size(sums))
    integer :: i
    do i = 1, size(sums)
      words(:, i) = carried(sums(i)%chunks)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, words, size(words), MPI_INTEGER8, MPI_SUM, communicator)
    do i = 1, size(sums)
      sums(i)%chunks = words(:, i)
    end do
  end subroutine sum_over_ranks

  pure subroutine add(self, number)
    class(exact_sum), intent(inout) :: self
    real(real64), intent(in) :: number
    integer(int64), parameter :: low_half = int(z"FFFFFFFF", int64)
    integer(int64) :: bits, mantissa, low, high, one
    integer :: exponent, is_normal, position, shift, first
    bits = transfer(number, bits)
    exponent = int(ibits(bits, 52, 11))
    is_normal = merge(1, 0, exponent /= 0)
    mantissa = ior(ibits(bits, 0, 52), ishft(int(is_normal, int64), 52))
    position = exponent - is_normal
    shift = mod(position, 32)
    low = ishft(mantissa, shift)
    high = ishft(ishft(mantissa, -1), shift - 63)
    one = merge(-1_int64, 1_int64, btest(bits, 63))
    first = position / 32
    self%chunks(first) = self%chunks(first) + one * iand(low, low_half)
    self%chunks(first + 1) = self%chunks(first + 1) + one * ishft(low, -32)
    self%chunks(first + 2) = self%chunks(first + 2) + one * high
  end subroutine add

  !> The same number with all chunks but the last one in [0, 2^32).
  pure function carried(chunks) result(words)
    integer(int64), intent(in) :: chunks(0:)
    integer(int64) :: words(0:last_chunk), above
    integer :: i
    words = chunks
    do i = 0, last_chunk - 1
      above = shifta(words(i), 32)
      words(i) = words(i) - above * 2_int64**32
      words(i + 1) = words(i + 1) + above
    end do
  end function carried

  !> The sum, rounded to the nearest number, ties to even.
  pure real(real64) function rounded(self)
    class(exact_sum), intent(in) :: self
    integer(int64) :: chunks(0:last_chunk), mantissa
    integer :: top, lowest, i
    logical :: is_negative
    chunks = carried(self%chunks)
    is_negative = chunks(last_chunk) < 0
    if (is_negative) chunks = carried(-chunks)
    rounded = 0
    top = -1
    do i = 0, last_chunk
      if (chunks(i) /= 0) top = 32 * i + 63 - leadz(chunks(i))
    end do
    if (top < 0) return
    lowest = max(0, top - 52)
    mantissa = 0
    do i = top, lowest, -1
      mantissa = 2 * mantissa + merge(1, 0, bit(i))
    end do
    if (lowest > 0) then
      if (bit(lowest - 1)) then
        if (any([(bit(i), i=0, lowest - 2)]) .or. mod(mantissa, 2_int64) == 1) mantissa = mantissa + 1
      end if
    end if
    rounded = scale(real(mantissa, real64), lowest - 1074)
    if (is_negative) rounded = -rounded
  contains
    pure logical function bit(index)
      integer, intent(in) :: index
      bit = btest(chunks(index / 32), mod(index, 32))
    end function bit
  end function rounded
end module fodo_moments
