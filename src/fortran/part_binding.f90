!> The functions of the shim for steps that are written in parts.
module quire_part_binding
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_ptr
  implicit none (type, external)
  public

  !> Whether a part is only weighed.
  integer(c_int), parameter :: writes = 0, weighs = 1

  interface
    integer(c_int) function quire_fortran_declare_column(file, column, kind, unit) &
      bind(C, name="quire_fortran_declare_column")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: column(*)
      integer(c_int), value :: kind
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_declare_column

    integer(c_int) function quire_fortran_declare_texts(file, column, longest, bytes, unit) &
      bind(C, name="quire_fortran_declare_texts")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: column(*)
      type(*), dimension(..), intent(in) :: longest
      type(*), dimension(..), intent(in) :: bytes
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_declare_texts

    integer(c_int) function quire_fortran_declare_field(file, field, kind, extents, start, count, components, unit) &
      bind(C, name="quire_fortran_declare_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), value :: kind
      type(*), dimension(..), intent(in) :: extents
      type(*), dimension(..), intent(in), optional :: start
      type(*), dimension(..), intent(in), optional :: count
      type(*), dimension(..), intent(in), optional :: components
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_declare_field

    integer(c_int) function quire_fortran_chunk(file, field, kind, extents, components, chunk) &
      bind(C, name="quire_fortran_chunk")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), value :: kind
      type(*), dimension(..), intent(in) :: extents
      type(*), dimension(..), intent(in), optional :: components
      integer(c_int64_t), intent(inout) :: chunk(*)
    end function quire_fortran_chunk

    integer(c_int) function quire_fortran_weighs_values(file) &
      bind(C, name="quire_fortran_weighs_values")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_weighs_values

    integer(c_int) function quire_fortran_agree_on_rows(file) &
      bind(C, name="quire_fortran_agree_on_rows")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_agree_on_rows

    integer(c_int) function quire_fortran_open_step(file) &
      bind(C, name="quire_fortran_open_step")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_open_step

    integer(c_int) function quire_fortran_write_field(file, field, x, y, z, start, weighs) &
      bind(C, name="quire_fortran_write_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      type(*), dimension(..), intent(in) :: x
      type(*), dimension(..), intent(in), optional :: y
      type(*), dimension(..), intent(in), optional :: z
      type(*), dimension(..), intent(in), optional :: start
      integer(c_int), value :: weighs
    end function quire_fortran_write_field

    integer(c_int) function quire_fortran_write_rows(file, first) &
      bind(C, name="quire_fortran_write_rows")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in), optional :: first
    end function quire_fortran_write_rows
  end interface
end module quire_part_binding
