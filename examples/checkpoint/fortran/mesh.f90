!> The elements of examples/checkpoint, with the same bits as in C++: see mesh.hpp.
module checkpoint_mesh
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use quire_mpi
  implicit none (type, external)
  private
  public :: make_mesh, advance, wanted_ids, right_elements

  character(len=1), parameter :: variables(4) = ["u", "v", "w", "p"]

contains

  !> The part of rank `rank` of `ranks` of a mesh of so many elements: tetrahedra whose orders differ, hexahedra, and
  !> triangles with two planes. The last of several ranks has none.
  subroutine make_mesh(parts, elements, rank, ranks)
    type(quire_element_part), allocatable, intent(out) :: parts(:)
    integer, intent(in) :: elements, rank, ranks
    integer(int32), allocatable :: ids(:)
    integer :: kind, id, n
    allocate (parts(count([(size(ids_of(kind, elements, rank, ranks)) > 0, kind=0, 2)])))
    n = 0
    do kind = 0, 2
      ids = ids_of(kind, elements, rank, ranks)
      if (size(ids) == 0) cycle
      n = n + 1
      associate (part => parts(n))
        part%expansion = expansion_of(kind)
        part%ids = ids
        part%variables = variables
        if (kind == 0) part%modes = spread(3 + mod(ids / 3, 4), 2, 3)
        allocate (part%values(sum([(coefficients_of(part, id), id=1, size(ids))]), size(variables)))
      end associate
    end do
  end subroutine make_mesh

  !> The elements of a kind that a rank has.
  pure function ids_of(kind, elements, rank, ranks) result(ids)
    integer, intent(in) :: kind, elements, rank, ranks
    integer(int32), allocatable :: ids(:)
    integer :: id
    ids = [(id, id=kind, elements - 1, 3)]
    ids = pack(ids, mod(ids / 3 * 7, max(1, ranks - 1)) == rank)
  end function ids_of

  !> The kind of an element: its id modulo 3.
  type(quire_expansion) function expansion_of(kind) result(made)
    integer, intent(in) :: kind
    integer, parameter :: length = quire_name_length
    select case (kind)
    case (0)
      made%shape = "Tetrahedron"  ! without modes: each element has its own
      made%basis = [character(len=length) :: "Modified_A", "Modified_B", "Modified_C"]
    case (1)
      made%shape = "Hexahedron"
      made%basis = [character(len=length) :: "GLL_Lagrange", "GLL_Lagrange", "GLL_Lagrange"]
      made%modes = [4, 4, 4]
    case default
      made%shape = "Triangle"
      made%basis = [character(len=length) :: "Modified_A", "Modified_B", "Fourier"]
      made%modes = [3, 4, 2]
      made%lengths = [2 * acos(-1.0_real64)]
      made%z_ids = [0, 1]
    end select
  end function expansion_of

  !> The number of coefficients of an element, in all its planes.
  integer function coefficients_of(part, element)
    type(quire_element_part), intent(in) :: part
    integer, intent(in) :: element
    integer :: n
    select case (part%expansion%shape)
    case ("Tetrahedron")
      n = part%modes(element, 1)
      coefficients_of = n * (n + 1) * (n + 2) / 6
    case ("Hexahedron")
      coefficients_of = int(product(part%expansion%modes))
    case default
      coefficients_of = (3 * (3 + 1) / 2 + 3 * (4 - 3)) * 2
    end select
  end function coefficients_of

  elemental real(real64) function value_of(variable, id, coefficient, time)
    integer, intent(in) :: variable, id
    integer(int64), intent(in) :: coefficient
    real(real64), intent(in) :: time
    value_of = sin(time + real(id, real64)) * real(variable, real64) + real(coefficient, real64) / 64
  end function value_of

  !> The coefficients at a time.
  subroutine advance(parts, time)
    type(quire_element_part), intent(inout) :: parts(:)
    real(real64), intent(in) :: time
    integer(int64) :: first, k, count
    integer :: p, e, v
    do p = 1, size(parts)
      first = 0
      do e = 1, size(parts(p)%ids)
        count = coefficients_of(parts(p), e)
        do v = 1, size(variables)
          do k = 0, count - 1
            parts(p)%values(first + k + 1, v) = value_of(v, parts(p)%ids(e), k, time)
          end do
        end do
        first = first + count
      end do
    end do
  end subroutine advance

  !> The ids that rank `rank` of `ranks` requests after a restart: others than it wrote.
  pure function wanted_ids(elements, rank, ranks) result(ids)
    integer, intent(in) :: elements, rank, ranks
    integer(int32), allocatable :: ids(:)
    integer :: id
    ids = [(id, id=rank, elements - 1, ranks)]
  end function wanted_ids

  !> How many of these elements have exactly the coefficients that they should have at this time.
  integer function right_elements(blocks, time) result(right)
    type(quire_element_block), intent(in) :: blocks(:)
    real(real64), intent(in) :: time
    integer(int64) :: k
    integer :: b, e, v
    logical :: is_right
    right = 0
    do b = 1, size(blocks)
      do e = 1, size(blocks(b)%ids)
        is_right = .true.
        do v = 1, size(blocks(b)%variables)
          do k = blocks(b)%first(e), blocks(b)%first(e + 1) - 1
            is_right = is_right .and. blocks(b)%values(k, v) == &
                       value_of(findloc(variables, blocks(b)%variables(v)(1:1), 1), blocks(b)%ids(e), &
                                k - blocks(b)%first(e), time)
          end do
        end do
        right = right + merge(1, 0, is_right)
      end do
    end do
  end function right_elements
end module checkpoint_mesh
