!> Elements: coefficients of functions on the elements of a mesh, for the checkpoints of spectral-element codes.
module quire_elements
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int32_t, c_int64_t, c_loc, &
    c_null_char, c_null_ptr, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use quire_base
  use quire_binding
  use quire_element_binding
  use quire_reading, only: quire_reader
  use quire_writing, only: quire_writer
  implicit none (type, external)
  private
  public :: quire_put_elements, quire_read_elements_all

  integer, parameter, public :: quire_name_length = 64

  !> Elements of one shape and one set of bases.
  type, public :: quire_expansion
    character(len=:), allocatable :: shape                          !< Segment, Triangle, ..., Hexahedron
    character(len=quire_name_length), allocatable :: basis(:)       !< one for each direction
    integer(int64), allocatable :: modes(:)     !< one for each direction; not allocated: every element has its own
    real(real64), allocatable :: lengths(:)     !< of the homogeneous directions
    integer(int64), allocatable :: y_ids(:)     !< of lines, with two homogeneous directions
    integer(int64), allocatable :: z_ids(:)     !< of planes, or lines
  end type quire_expansion

  !> Elements of one expansion that a rank writes. They must not change until commit() or abort() returns.
  type, public :: quire_element_part
    type(quire_expansion) :: expansion
    integer(int32), allocatable :: ids(:)
    integer(int32), allocatable :: modes(:, :)                      !< (elements, directions) if the expansion has none
    character(len=quire_name_length), allocatable :: variables(:)
    real(real64), allocatable :: values(:, :)                       !< (coefficients of all elements, variables)
  end type quire_element_part

  !> Elements of one expansion that were read, in the order of the file.
  type, public :: quire_element_block
    type(quire_expansion) :: expansion
    integer(int32), allocatable :: ids(:)
    character(len=quire_name_length), allocatable :: variables(:)
    integer(int64), allocatable :: first(:)     !< coefficients of element i are first(i) to first(i + 1) - 1
    real(real64), allocatable :: values(:, :)   !< (coefficients of all elements, variables)
  end type quire_element_block

  !> What the ranks agree on for the elements of one checkpoint, kept for the next ones of a series.
  type, public :: quire_element_layout
    private
    type(c_ptr) :: layout = c_null_ptr
  contains
    procedure :: reused
    procedure, private :: keep_layout
    generic :: assignment(=) => keep_layout
    final :: free_layout
  end type quire_element_layout

  !> Names for C.
  type :: name_list
    character(kind=c_char, len=1), allocatable :: bytes(:)
    type(c_ptr), allocatable :: places(:)
  end type name_list

  !> A part for C, and what it refers to.
  type :: described_part
    character(kind=c_char, len=:), allocatable :: shape
    type(name_list) :: basis, variables
    type(c_ptr), allocatable :: modes(:), values(:)
    type(c_expansion) :: expansion
    type(c_element_part) :: part
  end type described_part

contains

  !> A layout belongs to one variable: the assigned one keeps its own.
  subroutine keep_layout(self, other)
    class(quire_element_layout), intent(inout) :: self
    class(quire_element_layout), intent(in) :: other
    if (.false.) self%layout = other%layout
  end subroutine keep_layout

  !> Independent. Puts this rank's elements into the step; every rank calls it, also one without elements. Invalid parts
  !> are errors of the commit on every rank.
  !> layout: saves collectives in a series of checkpoints
  subroutine quire_put_elements(out, parts, layout, stat, errmsg)
    class(quire_writer), intent(inout) :: out
    type(quire_element_part), pointer, intent(in) :: parts(:)
    type(quire_element_layout), intent(inout), optional :: layout
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(described_part), allocatable, target :: described(:)
    type(c_ptr), allocatable, target :: places(:)
    type(c_ptr) :: known
    integer(c_int) :: status
    integer :: i
    allocate (described(size(parts)), places(max(1, size(parts))))
    places = c_null_ptr
    do i = 1, size(parts)
      call describe_part(parts(i), described(i))
      places(i) = c_loc(described(i)%part)
    end do
    known = c_null_ptr
    status = quire_ok
    if (present(layout)) then
      if (.not. c_associated(layout%layout)) status = quire_new_layout(layout%layout)
      known = layout%layout
    end if
    if (status == quire_ok) then
      status = quire_fortran_put_elements(file_of(out), size(parts, kind=c_int64_t), places, known)
    end if
    call conclude(out, status, stat, errmsg)
  end subroutine quire_put_elements

  !> Collective. Reads the elements of these ids, any on any rank, and these variables, the same on every rank; without
  !> them all variables.
  !> missing: requested ids that the file does not have
  subroutine quire_read_elements_all(in, blocks, ids, variables, missing, stat, errmsg)
    class(quire_reader), intent(inout) :: in
    type(quire_element_block), allocatable, intent(out) :: blocks(:)
    integer(int32), intent(in), target, contiguous :: ids(:)
    character(len=*), intent(in), optional :: variables(:)
    integer(int32), allocatable, intent(out), optional :: missing(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_element_request) :: request
    type(c_elements_info) :: info
    type(name_list), target :: names
    integer(c_int32_t), pointer :: absent(:)
    integer(c_int) :: status
    integer :: i
    request%size = c_sizeof(request)
    request%is_by_ids = 1
    request%elements = size(ids, kind=c_int64_t)
    if (size(ids) > 0) request%ids = c_loc(ids)
    if (present(variables)) then
      call list_names(variables, names)
      request%variables = size(variables, kind=c_int64_t)
      if (size(variables) > 0) request%names = c_loc(names%places)
    end if
    status = quire_fortran_read_elements_all(file_of(in), request)
    if (status == quire_ok) status = quire_fortran_elements_info(file_of(in), info, int(c_sizeof(info), c_int64_t))
    allocate (blocks(merge(int(info%blocks), 0, status == quire_ok)))
    do i = 1, size(blocks)
      if (status == quire_ok) call copy_block(in, i, blocks(i), status)
    end do
    if (present(missing)) then
      allocate (missing(merge(int(info%missing), 0, status == quire_ok)))
      if (size(missing) > 0) then
        call c_f_pointer(info%missing_ids, absent, shape(missing))
        missing = absent
      end if
    end if
    call conclude(in, status, stat, errmsg)
  end subroutine quire_read_elements_all

  !> Independent. The number of checkpoints that found the layout unchanged.
  integer(int64) function reused(self)
    class(quire_element_layout), intent(in) :: self
    reused = quire_count_reused(self%layout)
  end function reused

  subroutine free_layout(self)
    type(quire_element_layout), intent(inout) :: self
    call quire_free_layout(self%layout)
    self%layout = c_null_ptr
  end subroutine free_layout

  subroutine describe_part(part, described)
    type(quire_element_part), intent(in), target :: part
    type(described_part), intent(inout), target :: described
    integer :: i
    described%expansion%size = c_sizeof(described%expansion)
    described%part%size = c_sizeof(described%part)
    described%part%expansion = c_loc(described%expansion)
    described%shape = c_text(part%expansion%shape)
    described%expansion%shape = c_loc(described%shape)
    ! Parts that are not complete, or whose arrays differ in shape, have no directions, which the commit reports.
    if (.not. (allocated(part%expansion%basis) .and. allocated(part%ids))) return
    if (.not. (allocated(part%variables) .and. allocated(part%values))) return
    if (size(part%values, 2) /= size(part%variables)) return
    if (allocated(part%expansion%modes)) then
      if (size(part%expansion%modes) /= size(part%expansion%basis)) return
    end if
    if (allocated(part%modes)) then
      if (size(part%modes, 1) /= size(part%ids) .or. size(part%modes, 2) /= size(part%expansion%basis)) return
    end if
    call list_names(part%expansion%basis, described%basis)
    call list_names(part%variables, described%variables)
    described%expansion%directions = size(part%expansion%basis, kind=c_int64_t)
    described%expansion%basis = c_loc(described%basis%places)
    if (allocated(part%expansion%modes)) described%expansion%modes = c_loc(part%expansion%modes)
    if (allocated(part%expansion%lengths)) then
      described%expansion%homogeneous = size(part%expansion%lengths, kind=c_int64_t)
      described%expansion%lengths = c_loc(part%expansion%lengths)
    end if
    if (allocated(part%expansion%y_ids)) then
      described%expansion%y_planes = size(part%expansion%y_ids, kind=c_int64_t)
      described%expansion%y_ids = c_loc(part%expansion%y_ids)
    end if
    if (allocated(part%expansion%z_ids)) then
      described%expansion%z_planes = size(part%expansion%z_ids, kind=c_int64_t)
      described%expansion%z_ids = c_loc(part%expansion%z_ids)
    end if
    described%part%elements = size(part%ids, kind=c_int64_t)
    described%part%variables = size(part%variables, kind=c_int64_t)
    described%part%names = c_loc(described%variables%places)
    described%part%coefficients = size(part%values, 1, kind=c_int64_t)
    allocate (described%values(size(part%variables)))
    described%values = c_null_ptr
    if (size(part%ids) > 0) then
      described%part%ids = c_loc(part%ids)
      if (allocated(part%modes)) then
        described%modes = [(c_loc(part%modes(1, i)), i=1, size(part%modes, 2))]
        described%part%modes = c_loc(described%modes)
      end if
      described%values = [(c_loc(part%values(1, i)), i=1, size(part%values, 2))]
    end if
    described%part%values = c_loc(described%values)
  end subroutine describe_part

  subroutine list_names(names, list)
    character(len=*), intent(in) :: names(:)
    type(name_list), intent(inout), target :: list
    integer :: i, j, place
    allocate (list%bytes(size(names) * (len(names) + 1) + 1), list%places(max(1, size(names))))
    list%places = c_null_ptr
    place = 1
    do i = 1, size(names)
      list%places(i) = c_loc(list%bytes(place))
      do j = 1, len_trim(names(i))
        list%bytes(place) = names(i)(j:j)
        place = place + 1
      end do
      list%bytes(place) = c_null_char
      place = place + 1
    end do
  end subroutine list_names

  !> Copies a block, whose memory belongs to C.
  subroutine copy_block(in, index, block, status)
    class(quire_reader), intent(inout) :: in
    integer, intent(in) :: index
    type(quire_element_block), intent(inout) :: block
    integer(c_int), intent(out) :: status
    type(c_element_block) :: found
    type(c_expansion), pointer :: expansion
    integer(c_int32_t), pointer :: ids(:)
    integer(c_int64_t), pointer :: offsets(:), modes(:)
    type(c_ptr), pointer :: columns(:)
    real(c_double), pointer :: column(:)
    integer(c_int64_t) :: coefficients
    integer :: i
    status = quire_fortran_element_block(file_of(in), int(index - 1, c_int64_t), found, int(c_sizeof(found), c_int64_t))
    if (status /= quire_ok) return
    call c_f_pointer(found%expansion, expansion)
    block%expansion%shape = whole_text_at(expansion%shape)
    call copy_names(expansion%basis, expansion%directions, block%expansion%basis)
    if (c_associated(expansion%modes)) then
      call c_f_pointer(expansion%modes, modes, [expansion%directions])
      block%expansion%modes = modes
    end if
    call c_f_pointer(found%ids, ids, [found%elements])
    call c_f_pointer(found%offsets, offsets, [found%elements + 1])
    block%ids = ids
    block%first = offsets + 1
    coefficients = offsets(found%elements + 1)
    call copy_names(found%names, found%variables, block%variables)
    allocate (block%values(coefficients, found%variables))
    call c_f_pointer(found%values, columns, [found%variables])
    do i = 1, size(columns)
      call c_f_pointer(columns(i), column, [coefficients])
      block%values(:, i) = column
    end do
  end subroutine copy_block

  subroutine copy_names(places, count, names)
    type(c_ptr), intent(in) :: places
    integer(c_int64_t), intent(in) :: count
    character(len=quire_name_length), allocatable, intent(out) :: names(:)
    type(c_ptr), pointer :: list(:)
    integer :: i
    allocate (names(count))
    if (count == 0) return
    call c_f_pointer(places, list, [count])
    do i = 1, size(names)
      names(i) = whole_text_at(list(i))
    end do
  end subroutine copy_names
end module quire_elements
