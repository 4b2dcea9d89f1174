!> The library and its formats.
module quire_formats
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64
  use quire_binding
  use quire_base
  implicit none (type, external)
  private
  public :: quire_version, quire_format_name, quire_format_holds_one_step, quire_format_holds_streams
  public :: quire_format_holds_tables

  !> The kind of an option.
  enum, bind(C)
    enumerator :: quire_truth = 0, quire_integer, quire_text
  end enum
  public :: quire_truth, quire_integer, quire_text

  !> What files of a format can hold. Without a name for an unknown format.
  type, public :: quire_format_info
    character(len=:), allocatable :: name
    character(len=:), allocatable :: title          !< one line
    logical :: holds_one_step = .false.             !< a second step, and appending, is quire_unsupported
    logical :: finds_steps_alone = .false.          !< an unreadable step hides no other
    logical :: holds_tables = .false.               !< of any columns; otherwise only those of the format
    logical :: holds_constants = .false.            !< a column with the same number in every row is stored once
    logical :: holds_streams = .false.              !< files are written from streams only
    logical :: holds_elements = .false.             !< files are written from elements with coefficients only
    logical :: holds_attachments = .false.          !< other files inside
    logical :: holds_declarations = .false.         !< a file without steps keeps definitions
    integer :: read_options = 0                     !< their number
    integer :: write_options = 0
  end type quire_format_info

  interface quire_format_info
    module procedure format_info
  end interface quire_format_info

  !> An option of a reader or a writer, which the component set() of `quire_options` sets. Without a name after the last
  !> one.
  type, public :: quire_option_info
    character(len=:), allocatable :: name
    integer :: kind = quire_text                    !< quire_truth, quire_integer or quire_text
    character(len=:), allocatable :: preset         !< the value when not given
    character(len=:), allocatable :: help
    character(len=:), allocatable :: choices(:)     !< the values that a text can have; none: any
  end type quire_option_info

  interface quire_option_info
    module procedure option_info
  end interface quire_option_info

  !> `quire_format_info` of the C interface.
  type, bind(C) :: c_format_info
    type(c_ptr) :: name, title
    integer(c_int64_t) :: suffixes
    integer(c_int) :: holds_one_step, finds_steps_alone, holds_tables, holds_constants, holds_streams, holds_elements
    integer(c_int) :: holds_attachments, holds_declarations
    integer(c_int64_t) :: read_options, write_options
  end type c_format_info

  !> `quire_option_info` of the C interface.
  type, bind(C) :: c_option_info
    type(c_ptr) :: name
    integer(c_int) :: kind
    type(c_ptr) :: preset, help
    integer(c_int64_t) :: choices
  end type c_option_info

  interface
    type(c_ptr) function quire_version_c() bind(C, name="quire_version")
      import :: c_ptr
    end function quire_version_c

    type(c_ptr) function quire_format_name_c(index) bind(C, name="quire_format_name")
      import :: c_int64_t, c_ptr
      integer(c_int64_t), value :: index
    end function quire_format_name_c

    integer(c_int) function quire_get_format_info_c(name, info, size) bind(C, name="quire_get_format_info")
      import :: c_char, c_format_info, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      type(c_format_info), intent(out) :: info
      integer(c_int64_t), value :: size
    end function quire_get_format_info_c

    integer(c_int) function quire_get_option_c(format, is_writing, index, info, size) bind(C, name="quire_get_option")
      import :: c_char, c_int, c_int64_t, c_option_info
      character(kind=c_char), intent(in) :: format(*)
      integer(c_int), value :: is_writing
      integer(c_int64_t), value :: index
      type(c_option_info), intent(out) :: info
      integer(c_int64_t), value :: size
    end function quire_get_option_c

    type(c_ptr) function quire_option_choice_c(format, is_writing, option, index) bind(C, name="quire_option_choice")
      import :: c_char, c_int, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: format(*)
      integer(c_int), value :: is_writing
      integer(c_int64_t), value :: option, index
    end function quire_option_choice_c
  end interface

contains

  !> Independent. The version of the library, such as "1.2.3".
  function quire_version() result(version)
    character(len=:), allocatable :: version
    version = whole_text_at(quire_version_c())
  end function quire_version

  !> Independent. The name of a format of this build, from index 1 on; empty after the last one.
  function quire_format_name(index) result(name)
    integer, intent(in) :: index
    character(len=:), allocatable :: name
    name = whole_text_at(quire_format_name_c(int(index - 1, int64)))
  end function quire_format_name

  !> Independent. Whether files of this format hold a single step.
  function quire_format_holds_one_step(name) result(holds)
    character(len=*), intent(in) :: name
    logical :: holds
    type(quire_format_info) :: info
    info = format_info(name)
    holds = info%holds_one_step
  end function quire_format_holds_one_step

  !> Independent. Whether files of this format hold streams and nothing else.
  function quire_format_holds_streams(name) result(holds)
    character(len=*), intent(in) :: name
    logical :: holds
    type(quire_format_info) :: info
    info = format_info(name)
    holds = info%holds_streams
  end function quire_format_holds_streams

  !> Independent. Whether a step of a file of this format may have tables of any columns.
  function quire_format_holds_tables(name) result(holds)
    character(len=*), intent(in) :: name
    logical :: holds
    type(quire_format_info) :: info
    info = format_info(name)
    holds = info%holds_tables
  end function quire_format_holds_tables

  !> Independent. What files of a format can hold.
  function format_info(name) result(info)
    character(len=*), intent(in) :: name
    type(quire_format_info) :: info
    type(c_format_info) :: found
    info%name = ""
    info%title = ""
    if (quire_get_format_info_c(c_text(name), found, int(c_sizeof(found), c_int64_t)) /= quire_ok) return
    info%name = whole_text_at(found%name)
    info%title = whole_text_at(found%title)
    info%holds_one_step = found%holds_one_step /= 0
    info%finds_steps_alone = found%finds_steps_alone /= 0
    info%holds_tables = found%holds_tables /= 0
    info%holds_constants = found%holds_constants /= 0
    info%holds_streams = found%holds_streams /= 0
    info%holds_elements = found%holds_elements /= 0
    info%holds_attachments = found%holds_attachments /= 0
    info%holds_declarations = found%holds_declarations /= 0
    info%read_options = int(found%read_options)
    info%write_options = int(found%write_options)
  end function format_info

  !> Independent. An option of a format, from index 1 on. Those that all formats have belong to the format "".
  function option_info(format, is_writing, index) result(info)
    character(len=*), intent(in) :: format
    logical, intent(in) :: is_writing
    integer, intent(in) :: index
    type(quire_option_info) :: info
    type(c_option_info) :: found
    type(c_ptr), allocatable :: choices(:)
    integer(c_int) :: writes
    integer(c_int64_t) :: place, i
    info%name = ""
    info%preset = ""
    info%help = ""
    allocate (choices(0))
    writes = merge(1_c_int, 0_c_int, is_writing)
    place = index - 1
    if (quire_get_option_c(c_text(format), writes, place, found, int(c_sizeof(found), c_int64_t)) == quire_ok) then
      info%name = whole_text_at(found%name)
      info%kind = found%kind
      info%preset = whole_text_at(found%preset)
      info%help = whole_text_at(found%help)
      choices = [(quire_option_choice_c(c_text(format), writes, place, i), i=0, found%choices - 1)]
    end if
    call copy_texts_at(choices, info%choices)
  end function option_info
end module quire_formats
