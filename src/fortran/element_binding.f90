!> The structures and functions of the C interface for elements: quire/capi/elements.h. Programs do not use it.
module quire_element_binding
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_ptr, c_ptr
  implicit none (type, external)
  public
  private :: c_int, c_int64_t, c_null_ptr, c_ptr

  !> `quire_expansion`
  type, bind(C) :: c_expansion
    integer(c_int64_t) :: size = 0
    type(c_ptr) :: shape = c_null_ptr
    integer(c_int64_t) :: directions = 0
    type(c_ptr) :: basis = c_null_ptr
    type(c_ptr) :: modes = c_null_ptr
    integer(c_int64_t) :: homogeneous = 0
    type(c_ptr) :: lengths = c_null_ptr
    integer(c_int64_t) :: y_planes = 0
    type(c_ptr) :: y_ids = c_null_ptr
    integer(c_int64_t) :: z_planes = 0
    type(c_ptr) :: z_ids = c_null_ptr
    integer(c_int) :: has_strips = 0
    integer(c_int64_t) :: strips = 0
    type(c_ptr) :: strip_ids = c_null_ptr
    type(c_ptr) :: points = c_null_ptr
    type(c_ptr) :: point_counts = c_null_ptr
    type(c_ptr) :: elements = c_null_ptr
    type(c_ptr) :: origin = c_null_ptr
  end type c_expansion

  !> `quire_element_part`
  type, bind(C) :: c_element_part
    integer(c_int64_t) :: size = 0
    type(c_ptr) :: expansion = c_null_ptr
    integer(c_int64_t) :: elements = 0
    type(c_ptr) :: ids = c_null_ptr
    type(c_ptr) :: modes = c_null_ptr
    integer(c_int64_t) :: variables = 0
    type(c_ptr) :: names = c_null_ptr
    integer(c_int64_t) :: coefficients = 0
    type(c_ptr) :: values = c_null_ptr
  end type c_element_part

  !> `quire_element_request`
  type, bind(C) :: c_element_request
    integer(c_int64_t) :: size = 0
    integer(c_int) :: is_by_ids = 0
    integer(c_int64_t) :: elements = 0
    type(c_ptr) :: ids = c_null_ptr
    integer(c_int) :: partition = 0
    integer(c_int64_t) :: ranks = 0
    type(c_ptr) :: weights = c_null_ptr
    integer(c_int64_t) :: variables = 0
    type(c_ptr) :: names = c_null_ptr
  end type c_element_request

  !> `quire_element_block`
  type, bind(C) :: c_element_block
    type(c_ptr) :: expansion = c_null_ptr
    type(c_ptr) :: table = c_null_ptr
    integer(c_int64_t) :: elements = 0
    type(c_ptr) :: ids = c_null_ptr
    integer(c_int64_t) :: modes_count = 0
    type(c_ptr) :: modes = c_null_ptr
    integer(c_int64_t) :: variables = 0
    type(c_ptr) :: names = c_null_ptr
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: values = c_null_ptr
  end type c_element_block

  !> `quire_elements_info`
  type, bind(C) :: c_elements_info
    integer(c_int64_t) :: blocks = 0
    integer(c_int64_t) :: missing = 0
    type(c_ptr) :: missing_ids = c_null_ptr
    integer(c_int64_t) :: repeated = 0
    type(c_ptr) :: repeated_ids = c_null_ptr
  end type c_elements_info

  interface
    integer(c_int) function quire_new_layout(layout) bind(C, name="quire_new_layout")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: layout
    end function quire_new_layout

    integer(c_int64_t) function quire_count_reused(layout) bind(C, name="quire_count_reused")
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: layout
    end function quire_count_reused

    subroutine quire_free_layout(layout) bind(C, name="quire_free_layout")
      import :: c_ptr
      type(c_ptr), value :: layout
    end subroutine quire_free_layout

    integer(c_int) function quire_fortran_put_elements(file, parts, mine, layout) &
      bind(C, name="quire_fortran_put_elements")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), value :: parts
      type(c_ptr), intent(in) :: mine(*)
      type(c_ptr), value :: layout
    end function quire_fortran_put_elements

    integer(c_int) function quire_fortran_read_elements_all(file, request) &
      bind(C, name="quire_fortran_read_elements_all")
      import :: c_element_request, c_int, c_ptr
      type(c_ptr), value :: file
      type(c_element_request), intent(in) :: request
    end function quire_fortran_read_elements_all

    integer(c_int) function quire_fortran_elements_info(file, info, size) &
      bind(C, name="quire_fortran_elements_info")
      import :: c_elements_info, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      type(c_elements_info), intent(inout) :: info
      integer(c_int64_t), value :: size
    end function quire_fortran_elements_info

    integer(c_int) function quire_fortran_element_block(file, index, block, size) &
      bind(C, name="quire_fortran_element_block")
      import :: c_element_block, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), value :: index
      type(c_element_block), intent(inout) :: block
      integer(c_int64_t), value :: size
    end function quire_fortran_element_block
  end interface
end module quire_element_binding
