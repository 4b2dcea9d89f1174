!> The functions of the shim for grids of fields, owners of attributes and constant columns.
module quire_grid_binding
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr
  implicit none (type, external)
  public

  interface
    integer(c_int) function quire_fortran_set_grid(file, field, origin, spacing) &
      bind(C, name="quire_fortran_set_grid")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      type(*), dimension(..), intent(in), optional :: origin
      type(*), dimension(..), intent(in), optional :: spacing
    end function quire_fortran_set_grid

    integer(c_int) function quire_fortran_set_coordinates(file, field, axis, positions) &
      bind(C, name="quire_fortran_set_coordinates")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: axis
      type(*), dimension(..), intent(in) :: positions
    end function quire_fortran_set_coordinates

    integer(c_int) function quire_fortran_set_group(file, field, group) &
      bind(C, name="quire_fortran_set_group")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      character(kind=c_char), intent(in) :: group(*)
    end function quire_fortran_set_group

    integer(c_int) function quire_fortran_set_owner(file, owner, field) &
      bind(C, name="quire_fortran_set_owner")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: owner
      character(kind=c_char), intent(in) :: field(*)
    end function quire_fortran_set_owner

    integer(c_int) function quire_fortran_put_constant(file, column, value, unit) &
      bind(C, name="quire_fortran_put_constant")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: column(*)
      type(*), dimension(..), intent(in) :: value
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_put_constant

    integer(c_int) function quire_fortran_get_grid(file, field, axes, origin, spacing) &
      bind(C, name="quire_fortran_get_grid")
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: axes
      real(c_double), intent(inout) :: origin(*)
      real(c_double), intent(inout) :: spacing(*)
    end function quire_fortran_get_grid

    integer(c_int) function quire_fortran_get_coordinates(file, field, axis, capacity, positions, count) &
      bind(C, name="quire_fortran_get_coordinates")
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: axis
      integer(c_int64_t), value :: capacity
      real(c_double), intent(inout) :: positions(*)
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_get_coordinates
  end interface
end module quire_grid_binding
