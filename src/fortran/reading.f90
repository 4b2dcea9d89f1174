!> Files that are read.
module quire_reading
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_null_ptr, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use quire_base
  use quire_binding
  use quire_grid_binding
  implicit none (type, external)
  private

  !> The state of a file.
  type, public :: quire_check_report
    integer(int64), allocatable :: whole(:)           !< numbers of the whole steps
    integer(int64), allocatable :: damaged(:)         !< of those that cannot be read; whole steps may follow them
    character(len=:), allocatable :: damages(:)       !< of each of these
    character(len=:), allocatable :: damage           !< the first defect; empty if there is none
    character(len=:), allocatable :: warnings(:)
    logical :: is_damaged = .false.                   !< there is a defect
    logical :: is_salvageable = .false.               !< rows of damaged steps can be recovered
    logical :: is_changed = .false.                   !< the bytes differ from the stored checksums
    logical :: is_undecoded = .false.                 !< values are encoded in pieces that were not decoded
    logical :: is_being_written = .false.             !< a writer has the file open
  end type quire_check_report

  !> A file that is being read.
  type, extends(quire_handle), public :: quire_reader
  contains
    procedure :: steps
    procedure, private :: get_real32, get_real64, get_int32, get_int64, get_text, get_texts
    generic :: get => get_real32, get_real64, get_int32, get_int64, get_text, get_texts
    procedure :: rows
    procedure :: set_rows_where
    procedure :: chosen_rows
    procedure, private :: read_real32, read_real64, read_int32, read_int64, read_text
    generic :: read => read_real32, read_real64, read_int32, read_int64, read_text
    procedure, private :: read_all_real32, read_all_real64, read_all_int32, read_all_int64, read_all_text
    generic :: read_all => read_all_real32, read_all_real64, read_all_int32, read_all_int64, read_all_text
    procedure :: count => count_of_list
    procedure :: name => name_of_entry
    procedure :: info => info_of_entry
    procedure :: get_file_info
    procedure :: check => check_file
    procedure :: read_attachment
    procedure :: extents
    procedure :: components
    procedure :: get_grid
    procedure :: coordinates
    procedure, private :: read_field_real32, read_field_real64, read_field_int32, read_field_int64
    generic :: read_field => read_field_real32, read_field_real64, read_field_int32, read_field_int64
    procedure, private :: read_field_all_real32, read_field_all_real64, read_field_all_int32
    procedure, private :: read_field_all_int64
    generic :: read_field_all => read_field_all_real32, read_field_all_real64, read_field_all_int32, &
      read_field_all_int64
    procedure, private :: read_vector_field_real32, read_vector_field_real64, read_vector_field_int32
    procedure, private :: read_vector_field_int64
    generic :: read_vector_field => read_vector_field_real32, read_vector_field_real64, &
      read_vector_field_int32, read_vector_field_int64
    procedure, private :: read_vector_field_all_real32, read_vector_field_all_real64
    procedure, private :: read_vector_field_all_int32, read_vector_field_all_int64
    generic :: read_vector_field_all => read_vector_field_all_real32, read_vector_field_all_real64, &
      read_vector_field_all_int32, read_vector_field_all_int64
    final :: free_reader
  end type quire_reader

contains

  !> Collective. The numbers of all steps.
  function steps(self, stat, errmsg) result(numbers)
    class(quire_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: numbers(:)
    integer(c_int) :: status
    integer(int64) :: count
    integer(int64) :: none(0)
    count = 0
    status = quire_fortran_steps(file_of(self), 0_int64, none, count)
    allocate (numbers(count))
    if (status == quire_ok) status = quire_fortran_steps(file_of(self), count, numbers, count)
    call conclude(self, status, stat, errmsg)
  end function steps

  !> Independent. The same for a text.
  subroutine get_text(self, name, text, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: place
    integer(int64) :: length
    integer(c_int) :: status
    status = quire_fortran_get_text(file_of(self), c_text(name), place, length)
    if (status == quire_ok) then
      text = text_at(place, length)
    else
      text = ""
    end if
    call conclude(self, status, stat, errmsg)
  end subroutine get_text

  !> Independent. The same for a list of texts, all as long as the longest; none after an error.
  subroutine get_texts(self, name, texts, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(out) :: texts(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: count, longest
    integer(c_int) :: status
    count = 0
    longest = 0
    status = quire_fortran_find_texts(file_of(self), c_text(name), count, longest)
    allocate (character(len=longest) :: texts(count))
    if (status == quire_ok) status = quire_fortran_take_texts(file_of(self), texts)
    call conclude(self, status, stat, errmsg)
  end subroutine get_texts

  !> Independent. The number of rows of the table on all ranks together; 0 after an error.
  function rows(self, stat, errmsg) result(number)
    class(quire_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int) :: status
    number = 0
    status = quire_fortran_rows(file_of(self), number)
    call conclude(self, status, stat, errmsg)
  end function rows

  !> Independent. Chooses the rows that satisfy a condition, such as "x > 1e-3 and id % 2 == 0": read() and read_all()
  !> take them if they have no `first`, until the next step or table. Reads the columns of the condition. The page of
  !> expressions describes the language.
  !> first, count: rows among which are chosen; default: all, or all from `first` on
  subroutine set_rows_where(self, condition, first, count, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: condition
    type(*), dimension(..), intent(in), optional :: first, count
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_rows_where(file_of(self), c_text(condition), first, count), stat, errmsg)
  end subroutine set_rows_where

  !> Independent. The numbers of the chosen rows, in their order; none after an error.
  function chosen_rows(self, stat, errmsg) result(numbers)
    class(quire_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: numbers(:)
    integer(c_int) :: status
    integer(int64) :: none(0)
    integer(int64) :: count
    count = 0
    status = quire_fortran_chosen_rows(file_of(self), 0_int64, none, count)
    allocate (numbers(count))
    if (status == quire_ok) status = quire_fortran_chosen_rows(file_of(self), count, numbers, count)
    call conclude(self, status, stat, errmsg)
  end function chosen_rows

  !> Independent. The number of entries of a list: quire_attributes, quire_columns, ...; 0 after an error.
  function count_of_list(self, list, stat, errmsg) result(entries)
    class(quire_reader), intent(inout) :: self
    integer(c_int), intent(in) :: list
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer :: entries
    integer(c_int64_t) :: found
    integer(c_int) :: status
    found = 0
    status = quire_fortran_count(file_of(self), list, found)
    entries = int(found)
    call conclude(self, status, stat, errmsg)
  end function count_of_list

  !> Independent. The name of an entry of a list, from index 1 on; empty after an error.
  function name_of_entry(self, list, index, stat, errmsg) result(name)
    class(quire_reader), intent(inout) :: self
    integer(c_int), intent(in) :: list
    integer, intent(in) :: index
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: name
    type(c_ptr) :: place
    integer(c_int) :: status
    place = c_null_ptr
    status = quire_fortran_name(file_of(self), list, int(index - 1, c_int64_t), place)
    name = whole_text_at(place)
    call conclude(self, status, stat, errmsg)
  end function name_of_entry

  !> Independent. An entry of a list by its name.
  function info_of_entry(self, list, name, stat, errmsg) result(info)
    class(quire_reader), intent(inout) :: self
    integer(c_int), intent(in) :: list
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(quire_info) :: info
    type(c_info) :: found
    integer(c_int64_t), pointer :: extents(:)
    integer(c_int) :: status
    status = quire_fortran_info(file_of(self), list, c_text(name), found, int(c_sizeof(found), c_int64_t))
    if (status == quire_ok) then
      info%name = whole_text_at(found%name)
      info%kind = found%kind
      info%unit = whole_text_at(found%unit)
      info%symbol = whole_text_at(found%symbol)
      info%description = whole_text_at(found%description)
      info%display = whole_text_at(found%display)
      info%value = whole_text_at(found%value)
      info%count = found%count
      info%components = found%components
      info%text_bytes = found%text_bytes
      allocate (info%extents(found%axes))
      if (found%axes > 0) then
        call c_f_pointer(found%extents, extents, [found%axes])
        info%extents = extents(found%axes:1:-1)
      end if
    end if
    call conclude(self, status, stat, errmsg)
  end function info_of_entry

  !> Independent. The name of the format of the file, its title and its contents.
  subroutine get_file_info(self, format, title, contents, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=:), allocatable, intent(out), optional :: format, title, contents
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: places(3)
    integer(c_int) :: status
    places = c_null_ptr
    status = quire_fortran_file_info(file_of(self), places(1), places(2), places(3))
    if (present(format)) format = whole_text_at(places(1))
    if (present(title)) title = whole_text_at(places(2))
    if (present(contents)) contents = whole_text_at(places(3))
    call conclude(self, status, stat, errmsg)
  end subroutine get_file_info

  !> Collective. Checks the whole file. Damage is no error of this call: the report describes it. After an error it is
  !> empty.
  subroutine check_file(self, report, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    type(quire_check_report), intent(out) :: report
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_check_report) :: found, none
    integer(c_int) :: status
    status = quire_fortran_check(file_of(self), found, int(c_sizeof(found), c_int64_t))
    if (status /= quire_ok) found = none
    report%whole = integers_at(found%numbers, found%steps)
    report%damaged = integers_at(found%damaged, found%damaged_steps)
    call copy_text_list(found%damages, found%damaged_steps, report%damages)
    report%damage = whole_text_at(found%damage)
    call copy_text_list(found%sentences, found%warnings, report%warnings)
    report%is_damaged = found%is_damaged /= 0
    report%is_salvageable = found%is_salvageable /= 0
    report%is_changed = found%is_changed /= 0
    report%is_undecoded = found%is_undecoded /= 0
    report%is_being_written = found%is_being_written /= 0
    call conclude(self, status, stat, errmsg)
  end subroutine check_file

  !> Independent. The bytes of a file that is stored inside this one; none after an error. The list quire_attachments has
  !> the names and sizes.
  subroutine read_attachment(self, name, content, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(out) :: content
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_info) :: found
    integer(c_int64_t) :: bytes
    integer(c_int) :: status
    bytes = 0
    status = quire_fortran_info(file_of(self), quire_attachments, c_text(name), found, int(c_sizeof(found), c_int64_t))
    if (status == quire_ok) bytes = found%count
    allocate (character(len=bytes) :: content)
    if (status == quire_ok) status = quire_fortran_read_attachment(file_of(self), c_text(name), bytes, content)
    if (status /= quire_ok) content = ""
    call conclude(self, status, stat, errmsg)
  end subroutine read_attachment

  !> Independent. The extents of a field, fastest axis first.
  function extents(self, field, stat, errmsg) result(lengths)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: lengths(:)
    integer(c_int) :: status
    integer(int64) :: none(0)
    integer(int64) :: axes, number
    axes = 0
    status = quire_fortran_extents(file_of(self), c_text(field), 0_int64, none, axes, number)
    allocate (lengths(axes))
    if (status == quire_ok) status = quire_fortran_extents(file_of(self), c_text(field), axes, lengths, axes, number)
    call conclude(self, status, stat, errmsg)
  end function extents

  !> Independent. The number of components of a field; 0 after an error.
  function components(self, field, stat, errmsg) result(number)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int) :: status
    integer(int64) :: none(0)
    integer(int64) :: axes
    number = 0
    status = quire_fortran_extents(file_of(self), c_text(field), 0_int64, none, axes, number)
    call conclude(self, status, stat, errmsg)
  end function components

  !> Independent. The positions of the elements of a field in space, fastest axis first; none after an error.
  !> origin: receives the position of the first element; NaN if unknown
  !> spacing: receives the distance between neighbours; NaN if unknown
  subroutine get_grid(self, field, origin, spacing, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: field
    real(real64), allocatable, intent(out) :: origin(:), spacing(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    integer(int64) :: none(0)
    integer(int64) :: axes, number
    axes = 0
    status = quire_fortran_extents(file_of(self), c_text(field), 0_int64, none, axes, number)
    allocate (origin(axes), spacing(axes))
    if (status == quire_ok) status = quire_fortran_get_grid(file_of(self), c_text(field), axes, origin, spacing)
    call conclude(self, status, stat, errmsg)
  end subroutine get_grid

  !> Independent. The positions along an axis on which they are not equally spaced; none if they are, or after an error.
  !> axis: from 1 on, the fastest first
  function coordinates(self, field, axis, stat, errmsg) result(positions)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer, intent(in) :: axis
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(real64), allocatable :: positions(:)
    integer(c_int) :: status
    integer(int64) :: along, count
    real(real64) :: none(0)
    along = axis
    count = 0
    status = quire_fortran_get_coordinates(file_of(self), c_text(field), along, 0_int64, none, count)
    allocate (positions(count))
    if (status == quire_ok .and. count > 0) then
      status = quire_fortran_get_coordinates(file_of(self), c_text(field), along, count, positions, count)
    end if
    call conclude(self, status, stat, errmsg)
  end function coordinates

  !> Independent. Rows of a column of texts.
  subroutine read_text(self, column, values, first, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: column
    character(len=*), intent(inout) :: values(..)
    type(*), dimension(..), intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_read(file_of(self), c_text(column), values, first, independent)
    call conclude(self, status, stat, errmsg)
  end subroutine read_text

  !> Collective. The same on all ranks together.
  subroutine read_all_text(self, column, values, first, stat, errmsg)
    class(quire_reader), intent(inout) :: self
    character(len=*), intent(in) :: column
    character(len=*), intent(inout) :: values(..)
    type(*), dimension(..), intent(in), optional :: first
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_read(file_of(self), c_text(column), values, first, collective)
    call conclude(self, status, stat, errmsg)
  end subroutine read_all_text

  include "reading_kinds.inc"

  subroutine free_reader(self)
    type(quire_reader), intent(inout) :: self
    call release_file(self)
  end subroutine free_reader
end module quire_reading
