!> Streams: the bytes of one task, for files of task-local data. Streams and positions in them count from 1.
module quire_streams
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use quire_base
  use quire_reading, only: quire_reader
  use quire_stream_binding
  use quire_writing, only: quire_writer
  implicit none (type, external)
  private
  public :: quire_add_stream, quire_write_stream, quire_write_record, quire_ensure_space, quire_space
  public :: quire_count_streams, quire_find_streams_all, quire_stream_size, quire_get_stream_info, quire_read_stream
  public :: quire_next_record

  !> A stream that is read.
  type, public :: quire_stream_info
    integer(int64) :: task = 0         !< that wrote it
    integer(int64) :: index = 0        !< among the streams of the step, from 1 on
    integer(int64) :: bytes = 0        !< in all
    integer(int64) :: file = 0         !< the physical file of several, from 1 on
    integer(int64) :: file_index = 0   !< its index there, from 1 on
    integer(int64) :: chunk_bytes = 0  !< space that the file reserves for a chunk
    integer(int64) :: chunks = 0       !< their number
    logical :: is_big_endian = .false. !< the byte order of the numbers inside; they are not swapped
    logical :: has_records = .false.   !< it is a sequence of records: quire_next_record()
  end type quire_stream_info

  interface quire_write_stream
    module procedure write_real32, write_real64, write_int32, write_int64, write_text
  end interface quire_write_stream
  interface quire_write_record
    module procedure record_real32, record_real64, record_int32, record_int64, record_text
  end interface quire_write_record
  interface quire_read_stream
    module procedure read_real32, read_real64, read_int32, read_int64, read_text
  end interface quire_read_stream

contains

  !> Independent. Another stream of this rank in the step: a rank writes any number of them, or none. Pieces that are
  !> written before open_step() are copied; afterwards each is written at once.
  !> stream: receives its number on this rank, for the calls below, until the step ends
  !> task: the number of its task, from 0 on as ranks; no two streams have the same
  !> chunk_bytes: capacity of each chunk; default: one chunk, whose pieces are written before open_step()
  !> file: one of several physical files, from 1 on; default: by the options of the file
  !> index: its index in that file, from 1 on; default: in the order of the tasks
  subroutine quire_add_stream(out, stream, task, chunk_bytes, file, index, stat, errmsg)
    class(quire_writer), intent(inout) :: out
    integer, intent(out) :: stream
    type(*), dimension(..), intent(in) :: task
    type(*), dimension(..), intent(in), optional :: chunk_bytes, file, index
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: number, status
    number = 0
    status = quire_fortran_add_stream(file_of(out), task, chunk_bytes, file, index, number)
    stream = number
    call conclude(out, status, stat, errmsg)
  end subroutine quire_add_stream

  !> Independent. Starts a new chunk with the next piece unless so many bytes fit into the current one.
  subroutine quire_ensure_space(out, stream, bytes, stat, errmsg)
    class(quire_writer), intent(inout) :: out
    integer, intent(in) :: stream
    type(*), dimension(..), intent(in) :: bytes
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call conclude(out, quire_fortran_ensure_space(file_of(out), int(stream, c_int), bytes), stat, errmsg)
  end subroutine quire_ensure_space

  !> Independent. Free space in the current chunk, after open_step(), in bytes.
  function quire_space(out, stream, stat, errmsg) result(bytes)
    class(quire_writer), intent(inout) :: out
    integer, intent(in) :: stream
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: bytes
    integer(c_int) :: status
    bytes = 0
    status = quire_fortran_space(file_of(out), int(stream, c_int), bytes)
    call conclude(out, status, stat, errmsg)
  end function quire_space

  !> Independent. Bytes of a stream, when writing of all pieces so far.
  function quire_stream_size(handle, stream, stat, errmsg) result(bytes)
    class(quire_handle), intent(inout) :: handle
    integer, intent(in) :: stream
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: bytes
    integer(c_int) :: status
    bytes = 0
    status = quire_fortran_stream_size(file_of(handle), int(stream, c_int), bytes)
    call conclude(handle, status, stat, errmsg)
  end function quire_stream_size

  !> Independent. The number of streams of the selected step; 0 after an error.
  function quire_count_streams(in, stat, errmsg) result(count)
    class(quire_reader), intent(inout) :: in
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(int64) :: count
    integer(c_int) :: status
    count = 0
    status = quire_fortran_count_streams(file_of(in), count)
    call conclude(in, status, stat, errmsg)
  end function quire_count_streams

  !> Collective. The streams that this rank reads, any number of them: their numbers in the calls below are their places
  !> in the list, until the next call of this procedure or the next step. Missing errors, on every rank, if one does not
  !> exist.
  !> wanted: numbers of tasks, or with `by_index` indices among the streams of the step, from 1 on
  subroutine quire_find_streams_all(in, wanted, by_index, stat, errmsg)
    class(quire_reader), intent(inout) :: in
    integer, intent(in) :: wanted(:)
    logical, intent(in), optional :: by_index
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: are_indices, status
    integer(c_int64_t) :: numbers(size(wanted))
    are_indices = 0
    if (present(by_index)) are_indices = merge(1_c_int, 0_c_int, by_index)
    numbers = wanted - are_indices
    status = quire_fortran_find_streams_all(file_of(in), size(wanted, kind=c_int64_t), numbers, are_indices)
    call conclude(in, status, stat, errmsg)
  end subroutine quire_find_streams_all

  !> Independent. A stream that was found.
  subroutine quire_get_stream_info(in, stream, info, stat, errmsg)
    class(quire_reader), intent(inout) :: in
    integer, intent(in) :: stream
    type(quire_stream_info), intent(out) :: info
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_stream_info) :: found
    integer(c_int) :: status
    status = quire_fortran_stream_info(file_of(in), int(stream, c_int), found, int(c_sizeof(found), c_int64_t))
    if (status == quire_ok) then
      info = quire_stream_info(found%rank, found%index + 1, found%bytes, found%file + 1, found%file_index + 1, &
                               found%chunk_bytes, found%chunks, found%is_big_endian /= 0, found%has_records /= 0)
    end if
    call conclude(in, status, stat, errmsg)
  end subroutine quire_get_stream_info

  !> Independent. The next record of a stream, from the first one on: quire_read_stream() reads its bytes. A missing error
  !> at the end of the stream.
  subroutine quire_next_record(in, stream, key, bytes, stat, errmsg)
    class(quire_reader), intent(inout) :: in
    integer, intent(in) :: stream
    integer(int64), intent(out) :: key, bytes
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    key = 0
    bytes = 0
    status = quire_fortran_next_record(file_of(in), int(stream, c_int), key, bytes)
    call conclude(in, status, stat, errmsg)
  end subroutine quire_next_record

  include "stream_kinds.inc"
end module quire_streams
