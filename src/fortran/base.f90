!> What writing and reading share: the kinds of errors, types, options and the handle of a file.
module quire_base
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_loc, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use quire_binding
  use quire_grid_binding
  implicit none (type, external)
  private
  public :: conclude, file_of, keep_file, release_file

  !> The kind of an error, by what the program can do about it.
  enum, bind(C)
    enumerator :: quire_ok = 0
    enumerator :: quire_usage        !< the call itself is wrong: arguments, order of calls, unknown option
    enumerator :: quire_missing      !< a file, step, table, column or attribute does not exist
    enumerator :: quire_bad_file     !< the bytes of the file contradict its format
    enumerator :: quire_unsupported  !< the format cannot hold it or this build cannot read it
    enumerator :: quire_type         !< a conversion would lose information
    enumerator :: quire_conflict     !< ranks or steps disagree
    enumerator :: quire_io           !< the operating system refused: full disk, permission, short read
    enumerator :: quire_memory       !< more memory than the budget or the system allows
    enumerator :: quire_aborted      !< a rank left the step
    enumerator :: quire_deadline     !< a wait for other ranks exceeded the deadline
    enumerator :: quire_internal     !< a defect of the library
  end enum
  public :: quire_ok, quire_usage, quire_missing, quire_bad_file, quire_unsupported, quire_type, quire_conflict
  public :: quire_io, quire_memory, quire_aborted, quire_deadline, quire_internal

  !> The types of values in a file.
  enum, bind(C)
    enumerator :: quire_int8 = 0, quire_uint8, quire_int16, quire_uint16, quire_int32, quire_uint32, quire_int64
    enumerator :: quire_uint64, quire_real32, quire_real64, quire_real80, quire_character, quire_string
  end enum
  public :: quire_int8, quire_uint8, quire_int16, quire_uint16, quire_int32, quire_uint32, quire_int64, quire_uint64
  public :: quire_real32, quire_real64, quire_real80, quire_character, quire_string

  !> The lists of a file: attributes of the selected step, or of the file before one is selected; tables and fields of the
  !> step; columns of the table, and those with the same number in every row; facts about the layout of the file.
  enum, bind(C)
    enumerator :: quire_attributes = 0, quire_tables, quire_columns, quire_constants, quire_fields, quire_attachments
    enumerator :: quire_members, quire_layout, quire_warnings, quire_remarks
  end enum
  public :: quire_attributes, quire_tables, quire_columns, quire_constants, quire_fields, quire_attachments
  public :: quire_members, quire_layout, quire_warnings, quire_remarks

  !> What has the attributes that are set and read. By default the step; the file before the first step, and if the step
  !> that is read has none so named.
  enum, bind(C)
    enumerator :: quire_owner_default = 0, quire_owner_file, quire_owner_step, quire_owner_field
  end enum
  public :: quire_owner_default, quire_owner_file, quire_owner_step, quire_owner_field

  !> An entry of a list. What the list does not have is 0 or empty.
  type, public :: quire_info
    character(len=:), allocatable :: name
    integer :: kind = -1                             !< the type of the values, as stored
    character(len=:), allocatable :: unit            !< exactly as in the file, as are the next three
    character(len=:), allocatable :: symbol
    character(len=:), allocatable :: description
    character(len=:), allocatable :: display
    character(len=:), allocatable :: value           !< of a fact about the layout
    integer(int64) :: count = 0                      !< values of an attribute, elements of a field, rows of a table
    integer(int64), allocatable :: extents(:)        !< of an attribute or a field, fastest axis first
    integer(int64) :: components = 0                 !< of each element of a field
    integer(int64) :: text_bytes = 0                 !< of each text of a column, if all have the same size in the file
  end type quire_info

  !> How a file is opened. A component that is not set selects the default.
  type, public :: quire_options
    character(len=:), allocatable :: format     !< by name; default: by the suffix, when reading by content
    character(len=:), allocatable :: transport  !< default: "posix"
    logical :: durable = .false.                !< a committed step survives a power cut
    logical :: lossy = .false.                  !< allow conversions that change values
    logical :: tolerant = .false.               !< read the intact parts of damaged files, where the format can
    integer(int64) :: deadline = 0              !< of every wait for other ranks, in milliseconds; 0: none
    character(len=:), allocatable :: settings    !< by set(): each ends with a zero byte
  contains
    procedure :: set => set_option
  end type quire_options

  !> What both kinds of handles are. Handles cannot be assigned; pass them as arguments. One that was copied by
  !> allocate (copy, source=handle) is no open file: its calls are usage errors.
  type, abstract, public :: quire_handle
    private
    type(c_ptr) :: file = c_null_ptr
    type(c_ptr) :: place = c_null_ptr  !< of `file` above, in the handle that was opened
  contains
    procedure :: step => go_to_step
    procedure :: table => go_to_table
    procedure :: set_owner
    procedure :: set_row_list
    procedure :: set_row_blocks
    procedure :: close => close_file
    procedure :: copied => copied_bytes
    procedure :: message => last_message
    procedure, private :: refuse_assignment
    generic :: assignment(=) => refuse_assignment
  end type quire_handle

contains

  !> Independent when writing, but Collective for a series of files; Collective when reading. Begins the step of this
  !> number, or selects it. When writing, the previous one must have been committed or aborted.
  subroutine go_to_step(self, number, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    type(*), dimension(..), intent(in) :: number
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_step(file_of(self), number), stat, errmsg)
  end subroutine go_to_step

  !> Independent. The table for the following calls, until the next step. Without this call it is the only or first one.
  subroutine go_to_table(self, name, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_table(file_of(self), c_text(name)), stat, errmsg)
  end subroutine go_to_table

  !> Independent. The owner of the attributes in the following calls, until the next step.
  !> owner: quire_owner_field, quire_owner_step, quire_owner_file or quire_owner_default
  !> field: a field of the step, for quire_owner_field; when writing, its attributes are set before it is put or declared
  subroutine set_owner(self, owner, field, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    integer(c_int), intent(in) :: owner
    character(len=*), intent(in), optional :: field
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_owner(file_of(self), owner, c_text(field)), stat, errmsg)
  end subroutine set_owner

  !> Independent. When writing: the rows of the table that hold this rank's values, before its columns: in any order,
  !> without repetitions, none on two ranks. Either every rank calls this, or set_row_blocks(), or none does. When
  !> reading: the rows that read() and read_all() take if they have no `first`, until the next step or table.
  !> total: when writing, number of rows on all ranks together; default: the table ends with the greatest row
  subroutine set_row_list(self, rows, total, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    type(*), dimension(..), intent(in) :: rows
    type(*), dimension(..), intent(in), optional :: total
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_row_list(file_of(self), rows, total), stat, errmsg)
  end subroutine set_row_list

  !> Independent. The same for `count` blocks of `block` rows, the first at row `start`, each `stride` rows after the
  !> beginning of the previous one.
  subroutine set_row_blocks(self, start, stride, count, block, total, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    type(*), dimension(..), intent(in) :: start, stride, count, block
    type(*), dimension(..), intent(in), optional :: total
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_set_row_blocks(file_of(self), start, stride, count, block, total)
    call conclude(self, status, stat, errmsg)
  end subroutine set_row_blocks

  !> Collective. Completes the file. A step that was begun and neither committed nor aborted is dropped.
  subroutine close_file(self, stat, errmsg)
    class(quire_handle), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_close(file_of(self)), stat, errmsg)
  end subroutine close_file

  !> Independent. Bytes that this handle has copied because an array was not contiguous, or by put_copy().
  function copied_bytes(self) result(bytes)
    class(quire_handle), intent(in) :: self
    integer(int64) :: bytes
    bytes = quire_fortran_copied(file_of(self))
  end function copied_bytes

  !> Ends the program: two handles of one file would release it twice.
  subroutine refuse_assignment(self, other)
    class(quire_handle), intent(inout) :: self
    class(quire_handle), intent(in) :: other
    if (c_associated(self%file) .or. c_associated(other%file)) then
      call stop_program("quire: the handle of a file cannot be assigned: pass it as an argument", quire_usage)
    end if
  end subroutine refuse_assignment

  !> A setting of the format: a name and its value.
  subroutine set_option(self, name, value)
    class(quire_options), intent(inout) :: self
    character(len=*), intent(in) :: name, value
    if (.not. allocated(self%settings)) self%settings = ""
    self%settings = self%settings // trim(name) // "=" // trim(value) // c_null_char
  end subroutine set_option

  !> Independent. The whole message of the last call that failed: error, place and advice.
  function last_message(self) result(message)
    class(quire_handle), intent(in) :: self
    character(len=:), allocatable :: message
    message = message_of(file_of(self))
  end function last_message

  !> The file of a handle; null if it was not opened, or is a copy of another one.
  function file_of(self) result(file)
    class(quire_handle), intent(in), target :: self
    type(c_ptr) :: file
    file = c_null_ptr
    if (c_associated(self%place, c_loc(self%file))) file = self%file
  end function file_of

  subroutine keep_file(self, file)
    class(quire_handle), intent(inout), target :: self
    type(c_ptr), intent(in) :: file
    self%file = file
    self%place = c_loc(self%file)
  end subroutine keep_file

  !> Without communication.
  subroutine release_file(self)
    class(quire_handle), intent(inout) :: self
    call quire_fortran_free(file_of(self))
    self%file = c_null_ptr
  end subroutine release_file

  !> Hands out the status of a call, and ends the program if it is an error and `stat` is absent.
  subroutine conclude(self, status, stat, errmsg)
    class(quire_handle), intent(in) :: self
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(stat)) stat = int(status)
    if (status == quire_ok) return
    if (present(errmsg)) errmsg = self%message()
    if (.not. present(stat)) call stop_program(self%message(), int(status))
  end subroutine conclude

  !> Ends the program: all of its ranks, if it runs under MPI.
  subroutine stop_program(message, status)
    character(len=*), intent(in) :: message
    integer, intent(in) :: status
    call quire_fortran_stop(c_text(message), int(status, c_int))
    error stop message
  end subroutine stop_program
end module quire_base
