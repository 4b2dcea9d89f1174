!> The functions of the shim between the module and the C interface, and the conversion of texts. Programs do not
!> use it.
module quire_binding
  use, intrinsic :: iso_c_binding, only: &
    c_associated, c_char, c_f_pointer, c_funptr, c_int, c_int64_t, c_null_char, c_null_ptr, &
    c_ptr, c_size_t
  implicit none (type, external)
  public

  !> How a file is opened: `quire_fortran_opening` of handle.hpp.
  type, bind(C) :: opening
    type(c_ptr) :: path = c_null_ptr
    type(c_ptr) :: format = c_null_ptr
    type(c_ptr) :: transport = c_null_ptr
    type(c_ptr) :: settings = c_null_ptr
    integer(c_int64_t) :: deadline = 0
    integer(c_int) :: manner = 0
    integer(c_int) :: durable = 0
    integer(c_int) :: lossy = 0
    integer(c_int) :: tolerant = 0
    integer(c_int) :: drop_later = 0
    integer(c_int) :: has_communicator = 0
    integer(c_int) :: communicator = 0
  end type opening

  !> An entry of a list: `quire_info` of the C interface.
  type, bind(C) :: c_info
    type(c_ptr) :: name
    integer(c_int) :: kind
    type(c_ptr) :: unit, symbol, description, display, group, value
    integer(c_int64_t) :: count, axes
    type(c_ptr) :: extents
    integer(c_int64_t) :: components, text_bytes
    integer(c_int) :: is_expansion
  end type c_info

  !> The state of a file: `quire_check_report` of the C interface.
  type, bind(C) :: c_check_report
    integer(c_int64_t) :: whole_steps = 0, steps = 0
    type(c_ptr) :: numbers = c_null_ptr
    integer(c_int) :: is_damaged = 0
    type(c_ptr) :: damage = c_null_ptr
    integer(c_int64_t) :: damaged_steps = 0
    type(c_ptr) :: damaged = c_null_ptr, damages = c_null_ptr
    integer(c_int) :: is_salvageable = 0, is_changed = 0, is_undecoded = 0, is_being_written = 0
    integer(c_int64_t) :: warnings = 0
    type(c_ptr) :: sentences = c_null_ptr
  end type c_check_report

  !> Whether a call takes part with the other ranks.
  integer(c_int), parameter :: independent = 0, collective = 1
  !> Whether an array that is put must be copied.
  integer(c_int), parameter :: may_refer = 0, copies = 1

  !> How a file is opened.
  enum, bind(C)
    enumerator :: creating = 0, appending, reading
  end enum

  interface
    integer(c_int) function quire_fortran_open(how, after, file) &
      bind(C, name="quire_fortran_open")
      import :: c_int, c_ptr, opening
      type(opening), intent(in) :: how
      type(*), dimension(..), intent(in), optional :: after
      type(c_ptr), intent(out) :: file
    end function quire_fortran_open

    integer(c_int) function quire_fortran_write_file(how, number, fill, context, file) &
      bind(C, name="quire_fortran_write_file")
      import :: c_funptr, c_int, c_ptr, opening
      type(opening), intent(in) :: how
      type(*), dimension(..), intent(in) :: number
      type(c_funptr), value :: fill
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: file
    end function quire_fortran_write_file

    integer(c_int) function quire_fortran_close(file) &
      bind(C, name="quire_fortran_close")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_close

    subroutine quire_fortran_free(file) &
      bind(C, name="quire_fortran_free")
      import :: c_ptr
      type(c_ptr), value :: file
    end subroutine quire_fortran_free

    integer(c_int) function quire_fortran_step(file, number) &
      bind(C, name="quire_fortran_step")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in) :: number
    end function quire_fortran_step

    integer(c_int) function quire_fortran_set(file, name, values, unit) &
      bind(C, name="quire_fortran_set")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      type(*), dimension(..), intent(in) :: values
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_set

    integer(c_int) function quire_fortran_set_text(file, name, text) &
      bind(C, name="quire_fortran_set_text")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
    end function quire_fortran_set_text

    integer(c_int) function quire_fortran_set_texts(file, name, texts) &
      bind(C, name="quire_fortran_set_texts")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      type(*), dimension(..), intent(in) :: texts
    end function quire_fortran_set_texts

    integer(c_int) function quire_fortran_table(file, name) &
      bind(C, name="quire_fortran_table")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
    end function quire_fortran_table

    integer(c_int) function quire_fortran_set_rows(file, rows) &
      bind(C, name="quire_fortran_set_rows")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in) :: rows
    end function quire_fortran_set_rows

    integer(c_int) function quire_fortran_set_row_list(file, rows, total) &
      bind(C, name="quire_fortran_set_row_list")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in) :: rows
      type(*), dimension(..), intent(in), optional :: total
    end function quire_fortran_set_row_list

    integer(c_int) function quire_fortran_set_row_blocks(file, start, stride, count, block, total) &
      bind(C, name="quire_fortran_set_row_blocks")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in) :: start
      type(*), dimension(..), intent(in) :: stride
      type(*), dimension(..), intent(in) :: count
      type(*), dimension(..), intent(in) :: block
      type(*), dimension(..), intent(in), optional :: total
    end function quire_fortran_set_row_blocks

    integer(c_int) function quire_fortran_put(file, column, values, unit, copies) &
      bind(C, name="quire_fortran_put")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: column(*)
      type(*), dimension(..), intent(in), asynchronous :: values
      character(kind=c_char), intent(in) :: unit(*)
      integer(c_int), value :: copies
    end function quire_fortran_put

    integer(c_int) function quire_fortran_put_field(file, field, x, y, z, extents, start, stride, unit, copies) &
      bind(C, name="quire_fortran_put_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      type(*), dimension(..), intent(in), asynchronous :: x
      type(*), dimension(..), intent(in), optional, asynchronous :: y
      type(*), dimension(..), intent(in), optional, asynchronous :: z
      type(*), dimension(..), intent(in), optional :: extents
      type(*), dimension(..), intent(in), optional :: start
      type(*), dimension(..), intent(in), optional :: stride
      character(kind=c_char), intent(in) :: unit(*)
      integer(c_int), value :: copies
    end function quire_fortran_put_field

    integer(c_int) function quire_fortran_define_attribute(file, name, kind, unit) &
      bind(C, name="quire_fortran_define_attribute")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: kind
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_define_attribute

    integer(c_int) function quire_fortran_define_column(file, table, column, kind, unit) &
      bind(C, name="quire_fortran_define_column")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: table(*)
      character(kind=c_char), intent(in) :: column(*)
      integer(c_int), value :: kind
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_define_column

    integer(c_int) function quire_fortran_define_field(file, field, kind, axes, components, unit) &
      bind(C, name="quire_fortran_define_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), value :: kind
      type(*), dimension(..), intent(in) :: axes
      type(*), dimension(..), intent(in), optional :: components
      character(kind=c_char), intent(in) :: unit(*)
    end function quire_fortran_define_field

    integer(c_int) function quire_fortran_commit(file) &
      bind(C, name="quire_fortran_commit")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_commit

    integer(c_int) function quire_fortran_commit_async(file, borrow) &
      bind(C, name="quire_fortran_commit_async")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: borrow
    end function quire_fortran_commit_async

    integer(c_int) function quire_fortran_overlaps(file) &
      bind(C, name="quire_fortran_overlaps")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_overlaps

    integer(c_int) function quire_fortran_wait(file) &
      bind(C, name="quire_fortran_wait")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_wait

    integer(c_int) function quire_fortran_test(file, done) &
      bind(C, name="quire_fortran_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), intent(inout) :: done
    end function quire_fortran_test

    integer(c_int) function quire_fortran_abort(file, reason) &
      bind(C, name="quire_fortran_abort")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: reason(*)
    end function quire_fortran_abort

    integer(c_int) function quire_fortran_attach(file, name, content, bytes, replace) &
      bind(C, name="quire_fortran_attach")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*), content(*)
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: replace
    end function quire_fortran_attach

    integer(c_int) function quire_fortran_detach(file, name) &
      bind(C, name="quire_fortran_detach")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
    end function quire_fortran_detach

    integer(c_int) function quire_fortran_read_attachment(file, name, bytes, content) &
      bind(C, name="quire_fortran_read_attachment")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: bytes
      character(kind=c_char), intent(inout) :: content(*)
    end function quire_fortran_read_attachment

    integer(c_int) function quire_fortran_steps(file, capacity, numbers, count) &
      bind(C, name="quire_fortran_steps")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: numbers(*)
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_steps

    integer(c_int) function quire_fortran_get(file, name, values, count) &
      bind(C, name="quire_fortran_get")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      type(*), dimension(..), intent(inout) :: values
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_get

    integer(c_int) function quire_fortran_get_text(file, name, text, length) &
      bind(C, name="quire_fortran_get_text")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
      integer(c_int64_t), intent(inout) :: length
    end function quire_fortran_get_text

    integer(c_int) function quire_fortran_find_texts(file, name, count, longest) &
      bind(C, name="quire_fortran_find_texts")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: count, longest
    end function quire_fortran_find_texts

    integer(c_int) function quire_fortran_take_texts(file, texts) &
      bind(C, name="quire_fortran_take_texts")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(inout) :: texts
    end function quire_fortran_take_texts

    integer(c_int) function quire_fortran_rows(file, rows) &
      bind(C, name="quire_fortran_rows")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), intent(inout) :: rows
    end function quire_fortran_rows

    integer(c_int) function quire_fortran_extents(file, field, capacity, extents, axes, components) &
      bind(C, name="quire_fortran_extents")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: extents(*)
      integer(c_int64_t), intent(inout) :: axes
      integer(c_int64_t), intent(inout) :: components
    end function quire_fortran_extents

    integer(c_int) function quire_fortran_set_rows_where(file, condition, first, count) &
      bind(C, name="quire_fortran_set_rows_where")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: condition(*)
      type(*), dimension(..), intent(in), optional :: first
      type(*), dimension(..), intent(in), optional :: count
    end function quire_fortran_set_rows_where

    integer(c_int) function quire_fortran_chosen_rows(file, capacity, rows, count) &
      bind(C, name="quire_fortran_chosen_rows")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: rows(*)
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_chosen_rows

    integer(c_int) function quire_fortran_read(file, column, values, first, all) &
      bind(C, name="quire_fortran_read")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: column(*)
      type(*), dimension(..), intent(inout) :: values
      type(*), dimension(..), intent(in), optional :: first
      integer(c_int), value :: all
    end function quire_fortran_read

    integer(c_int) function quire_fortran_read_field(file, field, x, y, z, start, stride, all) &
      bind(C, name="quire_fortran_read_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: field(*)
      type(*), dimension(..), intent(inout) :: x
      type(*), dimension(..), intent(inout), optional :: y
      type(*), dimension(..), intent(inout), optional :: z
      type(*), dimension(..), intent(in), optional :: start
      type(*), dimension(..), intent(in), optional :: stride
      integer(c_int), value :: all
    end function quire_fortran_read_field

    integer(c_int) function quire_fortran_set_description(file, symbol, description, display) &
      bind(C, name="quire_fortran_set_description")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: symbol(*), description(*), display(*)
    end function quire_fortran_set_description

    integer(c_int) function quire_fortran_set_title(file, title, contents) &
      bind(C, name="quire_fortran_set_title")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: file
      character(kind=c_char), intent(in) :: title(*), contents(*)
    end function quire_fortran_set_title

    integer(c_int) function quire_fortran_count(file, list, count) &
      bind(C, name="quire_fortran_count")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: list
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_count

    integer(c_int) function quire_fortran_name(file, list, index, name) &
      bind(C, name="quire_fortran_name")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: list
      integer(c_int64_t), value :: index
      type(c_ptr), intent(inout) :: name
    end function quire_fortran_name

    integer(c_int) function quire_fortran_info(file, list, name, info, size) &
      bind(C, name="quire_fortran_info")
      import :: c_char, c_info, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: list
      character(kind=c_char), intent(in) :: name(*)
      type(c_info), intent(inout) :: info
      integer(c_int64_t), value :: size
    end function quire_fortran_info

    integer(c_int) function quire_fortran_file_info(file, format, title, contents) &
      bind(C, name="quire_fortran_file_info")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(c_ptr), intent(inout) :: format, title, contents
    end function quire_fortran_file_info

    integer(c_int) function quire_fortran_check(file, report, size) &
      bind(C, name="quire_fortran_check")
      import :: c_check_report, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      type(c_check_report), intent(out) :: report
      integer(c_int64_t), value :: size
    end function quire_fortran_check

    integer(c_int) function quire_fortran_repair(how, dropped, changed, file) &
      bind(C, name="quire_fortran_repair")
      import :: c_int, c_ptr, opening
      type(opening), intent(in) :: how
      type(*), dimension(..), intent(in), optional :: dropped
      integer(c_int), intent(inout) :: changed
      type(c_ptr), intent(out) :: file
    end function quire_fortran_repair

    integer(c_int64_t) function quire_fortran_copied(file) bind(C, name="quire_fortran_copied")
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_copied

    type(c_ptr) function quire_fortran_message(file) bind(C, name="quire_fortran_message")
      import :: c_ptr
      type(c_ptr), value :: file
    end function quire_fortran_message

    subroutine quire_fortran_stop(message, status) bind(C, name="quire_fortran_stop")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int), value :: status
    end subroutine quire_fortran_stop

    integer(c_size_t) function strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function strlen
  end interface

contains

  !> A text for C, which ends with a zero byte. Without trailing blanks, as Fortran compares texts; empty if it is absent.
  pure function c_text(text) result(terminated)
    character(len=*), intent(in), optional :: text
    character(kind=c_char, len=:), allocatable :: terminated
    if (present(text)) then
      terminated = trim(text) // c_null_char
    else
      terminated = c_null_char
    end if
  end function c_text

  !> A copy of a text of C.
  function text_at(place, length) result(text)
    type(c_ptr), intent(in) :: place
    integer(c_int64_t), intent(in) :: length
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer(c_int64_t) :: i
    allocate (character(len=length) :: text)
    call c_f_pointer(place, bytes, [length])
    do i = 1, length
      text(i:i) = bytes(i)
    end do
  end function text_at

  !> The message of the last call that failed on a handle.
  function message_of(file) result(message)
    type(c_ptr), intent(in) :: file
    character(len=:), allocatable :: message
    message = whole_text_at(quire_fortran_message(file))
  end function message_of

  !> A copy of a text of C that ends with a zero byte; empty for a null pointer.
  function whole_text_at(place) result(text)
    type(c_ptr), intent(in) :: place
    character(len=:), allocatable :: text
    if (c_associated(place)) then
      text = text_at(place, int(strlen(place), c_int64_t))
    else
      text = ""
    end if
  end function whole_text_at

  !> Copies texts of C that end with zero bytes; all copies are as long as the longest. A subroutine, because GCC 12
  !> warns of every function with such a result.
  subroutine copy_texts_at(places, texts)
    type(c_ptr), intent(in) :: places(:)
    character(len=:), allocatable, intent(out) :: texts(:)
    integer(c_size_t) :: longest
    integer :: i
    longest = 0
    do i = 1, size(places)
      longest = max(longest, strlen(places(i)))
    end do
    allocate (character(len=longest) :: texts(size(places)))
    do i = 1, size(places)
      texts(i) = whole_text_at(places(i))
    end do
  end subroutine copy_texts_at

  !> Copies a list of texts of C.
  subroutine copy_text_list(place, count, texts)
    type(c_ptr), intent(in) :: place
    integer(c_int64_t), intent(in) :: count
    character(len=:), allocatable, intent(out) :: texts(:)
    type(c_ptr), pointer :: places(:)
    type(c_ptr) :: none(0)
    if (count > 0) then
      call c_f_pointer(place, places, [count])
      call copy_texts_at(places, texts)
    else
      call copy_texts_at(none, texts)
    end if
  end subroutine copy_text_list

  !> A copy of a list of integers of C.
  function integers_at(place, count) result(numbers)
    type(c_ptr), intent(in) :: place
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), allocatable :: numbers(:)
    integer(c_int64_t), pointer :: found(:)
    allocate (numbers(count))
    if (count == 0) return
    call c_f_pointer(place, found, [count])
    numbers = found
  end function integers_at
end module quire_binding
