!> Quire for Fortran: writes and reads the steps of self-describing files. docs/fortran.md is the guide.
!>
!> Arguments. `type(*), dimension(..)` is a scalar or an array of any rank: values are real32, real64, int32, int64, or
!> arrays of character; numbers, rows, `extents` and `start` are integers of any kind. The first index of an array is
!> the fastest axis of a field. Rows and elements count from 1, steps have the numbers that the program gives them.
!> Names and texts have no trailing blanks.
!>
!> Errors. Every procedure has `stat`, which receives `quire_ok` or the kind of the error, and `errmsg`, which receives
!> its whole message. Without `stat` an error ends the program, and all ranks of it, with this message.
!>
!> Ranks. A procedure marked Collective is called by all ranks of the communicator in the same order; its errors are the
!> same on all ranks. Handles that go out of scope are released without communication, and without closing the file.
module quire
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_funloc, c_int, c_loc, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use quire_base
  use quire_binding
  use quire_elements
  use quire_formats
  use quire_reading, only: quire_check_report, quire_reader
  use quire_streams
  use quire_writing, only: quire_writer
  implicit none (type, external)
  private

  public :: quire_ok, quire_usage, quire_missing, quire_bad_file, quire_unsupported, quire_type, quire_conflict
  public :: quire_io, quire_memory, quire_aborted, quire_deadline, quire_internal
  public :: quire_int8, quire_uint8, quire_int16, quire_uint16, quire_int32, quire_uint32, quire_int64, quire_uint64
  public :: quire_real32, quire_real64, quire_real80, quire_character, quire_string
  public :: quire_attributes, quire_tables, quire_columns, quire_constants, quire_fields, quire_attachments
  public :: quire_members, quire_layout, quire_warnings, quire_remarks
  public :: quire_owner_default, quire_owner_file, quire_owner_step, quire_owner_field
  public :: quire_info, quire_check_report, quire_format_info, quire_option_info
  public :: quire_truth, quire_integer, quire_text
  public :: quire_options, quire_writer, quire_reader
  public :: quire_expansion, quire_element_part, quire_element_block, quire_element_layout, quire_name_length
  public :: quire_put_elements, quire_read_elements_all
  public :: quire_stream_info, quire_add_stream, quire_write_stream, quire_write_record, quire_ensure_space, quire_space
  public :: quire_count_streams, quire_find_streams_all, quire_stream_size, quire_get_stream_info, quire_read_stream
  public :: quire_next_record
  public :: quire_fill, quire_create, quire_append, quire_open, quire_write_file, quire_repair, quire_share, quire_version
  public :: quire_format_name, quire_format_holds_one_step, quire_format_holds_streams, quire_format_holds_tables

  interface quire_create
    module procedure create_file
  end interface quire_create
  interface quire_append
    module procedure append_file
  end interface quire_append
  interface quire_open
    module procedure open_file
  end interface quire_open
  interface quire_write_file
    module procedure write_file
  end interface quire_write_file
  interface quire_repair
    module procedure repair_file
  end interface quire_repair

  abstract interface
    !> Fills the step of quire_write_file(), by its calls that are not collective. A `stat` other than 0 fails that call
    !> on all ranks.
    subroutine quire_fill(out, stat)
      import :: quire_writer
      type(quire_writer), intent(inout) :: out
      integer, intent(inout) :: stat
    end subroutine quire_fill
  end interface

  !> The texts that an `opening` refers to.
  type :: opening_texts
    character(kind=c_char, len=:), allocatable :: path, format, transport, settings
  end type opening_texts

  !> What fill_step() receives through C.
  type :: filling
    procedure(quire_fill), pointer, nopass :: fill => null()
  end type filling

contains

  ! Files. `communicator` is one of the modules mpi or mpif.h, an integer; the module quire_mpi has the same procedures
  ! for those of mpi_f08. Without it the file belongs to this process alone, which is an error under MPI on several
  ! ranks: a rank that works alone passes MPI_COMM_SELF.

  !> Collective. A new file; an existing one is replaced.
  subroutine create_file(out, path, communicator, options, stat, errmsg)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call open_by(creating, out, path, communicator, options, stat, errmsg)
  end subroutine create_file

  !> Collective. An existing file, to write further steps.
  !> after: number of the step after which to continue; default: the last one
  !> drop_later: whether steps after that one are dropped; otherwise they are a conflict error
  subroutine append_file(out, path, communicator, after, drop_later, options, stat, errmsg)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(*), dimension(..), intent(in), optional :: after
    logical, intent(in), optional :: drop_later
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call open_by(appending, out, path, communicator, options, stat, errmsg, after, drop_later)
  end subroutine append_file

  !> Collective. An existing file, to be read.
  subroutine open_file(in, path, communicator, options, stat, errmsg)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call open_by(reading, in, path, communicator, options, stat, errmsg)
  end subroutine open_file

  !> Opens a file in one of the three manners. `after` and `drop_later` are for appending.
  subroutine open_by(manner, self, path, communicator, options, stat, errmsg, after, drop_later)
    integer(c_int), intent(in) :: manner
    class(quire_handle), intent(inout) :: self
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(*), dimension(..), intent(in), optional :: after
    logical, intent(in), optional :: drop_later
    type(opening_texts), target :: texts
    type(opening) :: how
    type(c_ptr) :: file
    integer(c_int) :: status
    call release_file(self)
    call describe(path, communicator, options, texts, how)
    how%manner = manner
    if (present(drop_later)) how%drop_later = merge(1, 0, drop_later)
    status = quire_fortran_open(how, after, file)
    call keep_file(self, file)
    call conclude(self, status, stat, errmsg)
  end subroutine open_by

  !> Collective. A new file of one step, with the same bytes as by quire_create(), step(), commit() and close(), in fewer
  !> collectives: for checkpoints. `fill` sets attributes of the step and puts its values, which must be valid until
  !> this call returns. A rank whose own `fill` failed gets its error while the others get quire_aborted.
  subroutine write_file(path, number, fill, communicator, options, stat, errmsg)
    character(len=*), intent(in) :: path
    type(*), dimension(..), intent(in) :: number
    procedure(quire_fill) :: fill
    integer, intent(in), optional :: communicator
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(opening_texts), target :: texts
    type(opening) :: how
    type(filling), target :: context
    type(quire_writer) :: finished
    type(c_ptr) :: file
    integer(c_int) :: status
    context%fill => fill
    call describe(path, communicator, options, texts, how)
    status = quire_fortran_write_file(how, number, c_funloc(fill_step), c_loc(context), file)
    call keep_file(finished, file)
    call conclude(finished, status, stat, errmsg)
  end subroutine write_file

  !> Collective. Repairs a file in place: finishes an interrupted replacement or publication, and drops the remains of
  !> an unfinished step and the steps of these numbers. check() of a reader reports what is damaged.
  !> dropped: numbers of damaged steps
  !> changed: whether anything was done
  subroutine repair_file(path, communicator, dropped, changed, options, stat, errmsg)
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(*), dimension(..), intent(in), optional :: dropped
    logical, intent(out), optional :: changed
    type(quire_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(opening_texts), target :: texts
    type(opening) :: how
    type(quire_writer) :: finished
    type(c_ptr) :: file
    integer(c_int) :: is_changed, status
    is_changed = 0
    call describe(path, communicator, options, texts, how)
    status = quire_fortran_repair(how, dropped, is_changed, file)
    if (present(changed)) changed = is_changed /= 0
    call keep_file(finished, file)
    call conclude(finished, status, stat, errmsg)
  end subroutine repair_file

  !> Calls the procedure that fills the step of write_file().
  integer(c_int) function fill_step(file, context) bind(C, name="quire_fortran_fill_step")
    type(c_ptr), value :: file, context
    type(filling), pointer :: mine
    type(quire_writer) :: out
    integer :: stat
    call c_f_pointer(context, mine)
    call keep_file(out, file)
    stat = quire_ok
    call mine%fill(out, stat)
    call keep_file(out, c_null_ptr)  ! C releases the file
    fill_step = int(stat, c_int)
  end function fill_step

  !> How a file is opened, for C. The texts must be valid as long as `how` is used.
  subroutine describe(path, communicator, options, texts, how)
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: communicator
    type(quire_options), intent(in), optional :: options
    type(opening_texts), intent(out), target :: texts
    type(opening), intent(out) :: how
    type(quire_options) :: chosen
    if (present(options)) chosen = options
    texts%path = c_text(path)
    texts%format = c_text(chosen%format)
    texts%transport = c_text(chosen%transport)
    texts%settings = c_null_char
    if (allocated(chosen%settings)) texts%settings = chosen%settings // c_null_char
    how%path = c_loc(texts%path)
    how%format = c_loc(texts%format)
    how%transport = c_loc(texts%transport)
    how%settings = c_loc(texts%settings)
    how%deadline = chosen%deadline
    how%durable = merge(1, 0, chosen%durable)
    how%lossy = merge(1, 0, chosen%lossy)
    how%tolerant = merge(1, 0, chosen%tolerant)
    if (present(communicator)) then
      how%has_communicator = 1
      how%communicator = int(communicator, c_int)
    end if
  end subroutine describe

  !> Independent. The rows [first, first + count) of one of `ranks` ranks, numbered from 0 as in MPI, that share
  !> `total` rows: total / ranks each, and one more for the first mod(total, ranks) of them.
  subroutine quire_share(total, rank, ranks, first, count)
    integer(int64), intent(in) :: total
    integer, intent(in) :: rank, ranks
    integer(int64), intent(out) :: first, count
    integer(int64) :: more
    more = mod(total, int(ranks, int64))
    count = total / ranks + merge(1, 0, rank < more)
    first = total / ranks * rank + min(int(rank, int64), more) + 1
  end subroutine quire_share
end module quire
