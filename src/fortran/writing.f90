!> Files that are written.
module quire_writing
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use quire_base
  use quire_binding
  use quire_grid_binding
  use quire_part_binding
  implicit none (type, external)
  private

  !> A file that is being written.
  type, extends(quire_handle), public :: quire_writer
  contains
    procedure, private :: set_real32, set_real64, set_int32, set_int64, set_text, set_texts
    generic :: set => set_real32, set_real64, set_int32, set_int64, set_text, set_texts
    procedure :: set_title
    procedure :: set_description
    procedure :: set_rows
    procedure, private :: put_real32, put_real64, put_int32, put_int64, put_text
    generic :: put => put_real32, put_real64, put_int32, put_int64, put_text
    procedure, private :: put_copy_real32, put_copy_real64, put_copy_int32, put_copy_int64
    generic :: put_copy => put_copy_real32, put_copy_real64, put_copy_int32, put_copy_int64
    procedure, private :: put_constant_real32, put_constant_real64, put_constant_int32, put_constant_int64
    generic :: put_constant => put_constant_real32, put_constant_real64, put_constant_int32, put_constant_int64
    procedure :: set_grid
    procedure :: set_coordinates
    procedure :: set_group
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
    procedure :: define_attribute
    procedure :: define_column
    procedure :: define_field
    procedure :: declare_column
    procedure :: declare_texts
    procedure :: declare_field
    procedure :: chunk => chunk_of_field
    procedure :: weighs_values
    procedure :: agree_on_rows
    procedure :: weigh_rows
    procedure, private :: weigh_field_real32, weigh_field_real64, weigh_field_int32, weigh_field_int64
    generic :: weigh_field => weigh_field_real32, weigh_field_real64, weigh_field_int32, weigh_field_int64
    procedure :: open_step
    procedure :: write_rows
    procedure, private :: write_field_real32, write_field_real64, write_field_int32, write_field_int64
    generic :: write_field => write_field_real32, write_field_real64, write_field_int32, write_field_int64
    procedure :: attach
    procedure :: detach
    procedure :: commit
    procedure :: commit_async
    procedure :: overlaps
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

  !> Independent. The same for a list of texts, which are stored without their trailing blanks.
  subroutine set_texts(self, name, texts, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: name
    character(len=*), intent(in) :: texts(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_texts(file_of(self), c_text(name), texts), stat, errmsg)
  end subroutine set_texts

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

  !> Independent. The positions of the elements of a field in space, before it is put or declared.
  !> origin: the position of the first element, fastest axis first
  !> spacing: the distance between neighbours
  subroutine set_grid(self, field, origin, spacing, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field
    real(real64), intent(in), optional :: origin(:), spacing(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_grid(file_of(self), c_text(field), origin, spacing), stat, errmsg)
  end subroutine set_grid

  !> Independent. The positions along an axis on which they are not equally spaced, before the field is put or declared.
  !> axis: from 1 on, the fastest first
  !> positions: as many as the field has elements along this axis
  subroutine set_coordinates(self, field, axis, positions, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer, intent(in) :: axis
    real(real64), intent(in) :: positions(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_set_coordinates(file_of(self), c_text(field), int(axis, c_int64_t), positions)
    call conclude(self, status, stat, errmsg)
  end subroutine set_coordinates

  !> Independent. The group of a field: fields of one group belong together.
  subroutine set_group(self, field, group, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field, group
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_set_group(file_of(self), c_text(field), c_text(group)), stat, errmsg)
  end subroutine set_group

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

  ! Steps in parts, for data larger than memory: declare_field() and declare_column() for all of them, and everything
  ! else of the step; if weighs_values(), agree_on_rows(), and weigh_field() or weigh_rows() for every part; open_step();
  ! write_field() and write_rows() for every part; commit().

  !> Independent. A column whose values are put in parts; the table has rows by set_rows(). What put() and put_copy() get
  !> for it is a part, which weigh_rows() or write_rows() passes on.
  subroutine declare_column(self, column, kind, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: column
    integer(c_int), intent(in) :: kind
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_declare_column(file_of(self), c_text(column), kind, c_text(unit)), stat, errmsg)
  end subroutine declare_column

  !> Independent. The same for a column of texts.
  !> longest: length of this rank's longest text, for files that store all with one size
  !> bytes: length of all texts of this rank together, without trailing blanks
  subroutine declare_texts(self, column, longest, bytes, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: column
    type(*), dimension(..), intent(in) :: longest, bytes
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_declare_texts(file_of(self), c_text(column), longest, bytes, c_text(unit))
    call conclude(self, status, stat, errmsg)
  end subroutine declare_texts

  !> Independent. A field whose values are passed later by write_field(). Every rank declares it, also with an empty box;
  !> elements outside of all boxes are 0.
  !> start, count: first element and shape of this rank's box; default: the whole field
  !> components: number of arrays of each part; default: 1
  subroutine declare_field(self, field, kind, extents, start, count, components, unit, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer(c_int), intent(in) :: kind
    type(*), dimension(..), intent(in) :: extents
    type(*), dimension(..), intent(in), optional :: start, count, components
    character(len=*), intent(in), optional :: unit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = quire_fortran_declare_field(file_of(self), c_text(field), kind, extents, start, count, components, &
                                         c_text(unit))
    call conclude(self, status, stat, errmsg)
  end subroutine declare_field

  !> Independent. The shape of the chunks in which the open step's file would encode a field; all 0 if it is not chunked.
  !> Boxes and parts of whole chunks keep nothing in memory.
  function chunk_of_field(self, field, kind, extents, components, stat, errmsg) result(chunk)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: field
    integer(c_int), intent(in) :: kind
    type(*), dimension(..), intent(in) :: extents
    type(*), dimension(..), intent(in), optional :: components
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: chunk(:)
    integer(c_int) :: status
    allocate (chunk(size(extents)), source=0_int64)
    status = quire_fortran_chunk(file_of(self), c_text(field), kind, extents, components, chunk)
    call conclude(self, status, stat, errmsg)
  end function chunk_of_field

  !> Independent. Whether all parts must be weighed before open_step(), as for files of text and of compressed chunks.
  logical function weighs_values(self)
    class(quire_writer), intent(in) :: self
    weighs_values = quire_fortran_weighs_values(file_of(self)) /= 0
  end function weighs_values

  !> Collective. Before parts are weighed and after everything that describes the step; without effect if nothing is
  !> weighed. Fails as open_step() does.
  subroutine agree_on_rows(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_agree_on_rows(file_of(self)), stat, errmsg)
  end subroutine agree_on_rows

  !> Independent. The next rows, which were put, and will be put again and passed to write_rows().
  subroutine weigh_rows(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_write_rows(file_of(self)), stat, errmsg)
  end subroutine weigh_rows

  !> Collective. Places the step; afterwards only table(), put() of declared columns, write_rows(), write_field(),
  !> commit() and abort() are allowed. If it fails the step ends, as after commit().
  subroutine open_step(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_open_step(file_of(self)), stat, errmsg)
  end subroutine open_step

  !> Independent. Writes rows of this rank from `first` on: what was put of the declared columns of the table since the
  !> last call. Rows are written in order.
  subroutine write_rows(self, first, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    type(*), dimension(..), intent(in) :: first
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_write_rows(file_of(self), first), stat, errmsg)
  end subroutine write_rows

  !> Collective. Stores a file inside this one, with the next commit or at close. Fails with quire_unsupported if the
  !> format has no attachments.
  !> content: the bytes of the file; those of rank 0 are copied
  !> replace: whether one of this name is replaced; otherwise, and by default, it is a conflict error
  subroutine attach(self, name, content, replace, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: name, content
    logical, intent(in), optional :: replace
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: replaces, status
    replaces = 0
    if (present(replace)) replaces = merge(1_c_int, 0_c_int, replace)
    status = quire_fortran_attach(file_of(self), c_text(name), content, len(content, kind=c_int64_t), replaces)
    call conclude(self, status, stat, errmsg)
  end subroutine attach

  !> Collective. Drops an attachment, with the next commit or at close.
  subroutine detach(self, name, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_detach(file_of(self), c_text(name)), stat, errmsg)
  end subroutine detach

  !> Collective. Writes all bytes of the step and only then publishes it: afterwards it is in the file on every rank,
  !> or on none. A rank whose own put or set failed gets that error while the others get quire_aborted.
  subroutine commit(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_commit(file_of(self)), stat, errmsg)
  end subroutine commit

  !> Collective. As commit(), but a thread writes the bytes while the program continues. The arrays are copied and may
  !> change afterwards. The step is published, as a whole, by wait(), test(), the commit of the next step or close(),
  !> which fail on all ranks if it failed on any. Where overlaps() is false the step is committed as by commit().
  !> borrow: the arrays are not copied, and must neither move nor change until wait() returns
  subroutine commit_async(self, borrow, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    logical, intent(in), optional :: borrow
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: borrows
    borrows = 0
    if (present(borrow)) borrows = merge(1_c_int, 0_c_int, borrow)
    call conclude(self, quire_fortran_commit_async(file_of(self), borrows), stat, errmsg)
  end subroutine commit_async

  !> Independent. Whether commit_async() writes the open step, or the next one, in the background: with the transport
  !> posix, except for steps in parts, streams and files of several members.
  logical function overlaps(self)
    class(quire_writer), intent(in) :: self
    overlaps = quire_fortran_overlaps(file_of(self)) /= 0
  end function overlaps

  !> Collective if a step is in flight after commit_async(). Waits until all ranks have written it, and publishes it.
  !> Otherwise without effect.
  subroutine wait_for_step(self, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(self, quire_fortran_wait(file_of(self)), stat, errmsg)
  end subroutine wait_for_step

  !> Collective if a step is in flight. Publishes it if all ranks have written it, without waiting. A subroutine, as
  !> MPI_Test: compilers may leave out calls of functions.
  !> done: whether no step is in flight afterwards, the same on all ranks; false after an error
  subroutine test_step(self, done, stat, errmsg)
    class(quire_writer), intent(inout) :: self
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: is_done, status
    is_done = 0
    status = quire_fortran_test(file_of(self), is_done)
    done = is_done /= 0
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
