!> Files that are written.
module quire_writing
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use quire_base
  use quire_binding
  implicit none (type, external)
  private

  !> A file that is being written.
  type, extends(quire_handle), public :: quire_writer
  contains
    procedure, private :: set_real32, set_real64, set_int32, set_int64, set_text
    generic :: set => set_real32, set_real64, set_int32, set_int64, set_text
    procedure :: set_title
    procedure :: set_description
    procedure :: set_rows
    procedure, private :: put_real32, put_real64, put_int32, put_int64, put_text
    generic :: put => put_real32, put_real64, put_int32, put_int64, put_text
    procedure, private :: put_copy_real32, put_copy_real64, put_copy_int32, put_copy_int64
    generic :: put_copy => put_copy_real32, put_copy_real64, put_copy_int32, put_copy_int64
    procedure, private :: put_field_real32, put_field_real64, put_field_int32, put_field_int64
    generic :: put_field => put_field_real32, put_field_real64, put_field_int32, put_field_int64
    procedure, private :: put_field_copy_real32, put_field_copy_real64, put_field_copy_int32
    procedure, private :: put_field_copy_int64
    generic :: put_field_copy => put_field_copy_real32, put_field_copy_real64, put_field_copy_int32, &
      put_field_copy_int64
    procedure, private :: put_vector_field_real32, put_vector_field_real64, put_vector_field_int32
    procedure, private :: put_vector_field_int64
    generic :: put_vector_field => put_vector_field_real32, put_vector_field_real64, put_vector_field_int32, &
      put_vector_field_int64
    procedure, private :: put_vector_field_copy_real32, put_vector_field_copy_real64
    procedure, private :: put_vector_field_copy_int32, put_vector_field_copy_int64
    generic :: put_vector_field_copy => put_vector_field_copy_real32, put_vector_field_copy_real64, &
      put_vector_field_copy_int32, put_vector_field_copy_int64
    procedure :: add_stream
    procedure :: ensure_space
    procedure, private :: write_stream_real32, write_stream_real64, write_stream_int32, write_stream_int64
    generic :: write_stream => write_stream_real32, write_stream_real64, write_stream_int32, write_stream_int64
    procedure :: define_attribute
    procedure :: define_column
    procedure :: define_field
    procedure :: commit
    procedure :: commit_async
    procedure :: wait => wait_for_step
    procedure :: test => test_step
    procedure :: abort => abort_step
    final :: free_writer
  end type quire_writer

contains

  !> Independent. The same for a text.
  subroutine set_text(self, name, text, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: name, text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_text(file_of(self), c_text(name), c_text(text)), stat, errmsg)
  end subroutine set_text

  !> Independent. Title and contents of a new file, before its first commit.
  subroutine set_title(self, title, contents, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: title
    character(len=*), intent(in), optional :: contents
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_title(file_of(self), c_text(title), c_text(contents)), stat, errmsg)
  end subroutine set_title

  !> Independent. Further texts of the next attribute, column or field that is set, put or defined: a symbol for plots, a
  !> description in words, a printf format to display a value.
  subroutine set_description(self, description, symbol, display, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in), optional :: description, symbol, display
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_set_description(file_of(self), c_text(symbol), c_text(description), c_text(display))
    call conclude(self, status, stat, errmsg)
  end subroutine set_description

  !> Independent. The number of rows of this rank. Optional: the first column that is put has as many values.
  subroutine set_rows(self, rows, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    type(*), dimension(..), intent(in) :: rows
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_rows(file_of(self), rows), stat, errmsg)
  end subroutine set_rows

  !> Independent. A column of texts, which are copied without their trailing blanks.
  subroutine put_text(self, column, values, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: column
    character(len=*), intent(in) :: values(..)
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_put(file_of(self), c_text(column), values, c_text(unit), copies)
    call conclude(self, status, stat, errmsg)
  end subroutine put_text

  !> Independent. Another stream of this rank in the step. A rank has any number of them, or none.
  !> stream: receives its number on this rank, from 1 on, until the step ends; 0 after an error
  !> rank: the number of its task, from 0 on; no two streams have the same
  !> chunk_bytes: capacity of each chunk; default: one chunk that holds all pieces
  subroutine add_stream(self, stream, rank, chunk_bytes, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out) :: stream
    type(*), dimension(..), intent(in) :: rank
    type(*), dimension(..), intent(in), optional :: chunk_bytes
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    integer(int64) :: number
    number = 0
    status = quire_fortran_add_stream(file_of(self), rank, chunk_bytes, number)
    stream = int(number)
    call conclude(self, status, stat, errmsg)
  end subroutine add_stream

  !> Independent. Starts a new chunk with the next piece unless so many bytes fit into the current one.
  subroutine ensure_space(self, stream, bytes, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(in) :: stream
    type(*), dimension(..), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_ensure_space(file_of(self), int(stream, int64), bytes), stat, errmsg)
  end subroutine ensure_space

  !> Independent. An attribute that steps have: a number, or a text with quire_string.
  subroutine define_attribute(self, name, kind, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: kind
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_define_attribute(file_of(self), c_text(name), kind, c_text(unit))
    call conclude(self, status, stat, errmsg)
  end subroutine define_attribute

  !> Independent. A column of a table of the steps.
  subroutine define_column(self, column, kind, unit, table, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: column
    integer(c_int), intent(in) :: kind
    character(len=*), intent(in), optional :: unit, table
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_define_column(file_of(self), c_text(table), c_text(column), kind, c_text(unit))
    call conclude(self, status, stat, errmsg)
  end subroutine define_column

  !> Independent. A field of the steps.
  !> components: 1 for a scalar field, the default; 3 for a vector field
  subroutine define_field(self, field, kind, axes, components, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer(c_int), intent(in) :: kind
    type(*), dimension(..), intent(in) :: axes
    type(*), dimension(..), intent(in), optional :: components
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_define_field(file_of(self), c_text(field), kind, axes, components, c_text(unit))
    call conclude(self, status, stat, errmsg)
  end subroutine define_field

  !> Collective. Writes all bytes of the step and only then publishes it: afterwards it is in the file on every rank,
  !> or on none. A rank whose own put or set failed gets that error while the others get quire_aborted.
  subroutine commit(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_commit(file_of(self), after_writing), stat, errmsg)
  end subroutine commit

  !> Collective. As commit(), but the arrays are copied, and a thread writes the bytes while the program continues. The
  !> step is published, as a whole, by wait(), test(), the commit of the next step or close(), which fail on all ranks if
  !> it failed on any. Files that cannot be written so are committed as by commit().
  subroutine commit_async(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_commit(file_of(self), before_writing), stat, errmsg)
  end subroutine commit_async

  !> Collective if a step is in flight after commit_async(). Waits until all ranks have written it, and publishes it.
  !> Otherwise without effect.
  subroutine wait_for_step(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_wait(file_of(self)), stat, errmsg)
  end subroutine wait_for_step

  !> Collective if a step is in flight. Publishes it if all ranks have written it, without waiting.
  !> done: whether no step is in flight afterwards; the same on all ranks
  subroutine test_step(self, done, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status, answer
    answer = 0
    status = quire_fortran_test(file_of(self), answer)
    done = answer /= 0
    call conclude(self, status, stat, errmsg)
  end subroutine test_step

  !> Collective with the others' commit(). Drops the step; the others get quire_aborted and this reason.
  subroutine abort_step(self, reason, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: reason
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_abort(file_of(self), c_text(reason)), stat, errmsg)
  end subroutine abort_step

  include "writing_kinds.inc"

  subroutine free_writer(self)
    type(quire_writer), intent(inout) :: self
    call release_file(self)
  end subroutine free_writer
end module quire_writing
