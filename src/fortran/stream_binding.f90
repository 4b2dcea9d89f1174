!> The functions of the shim for streams.
module quire_stream_binding
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  implicit none (type, external)
  public

  !> A stream that is read: `quire_stream_info` of the C interface.
  type, bind(C) :: c_stream_info
    integer(c_int64_t) :: rank = 0, index = 0, bytes = 0, file = 0, file_index = 0, chunk_bytes = 0, chunks = 0
    integer(c_int) :: is_big_endian = 0, has_records = 0
  end type c_stream_info

  interface
    integer(c_int) function quire_fortran_add_stream(file, task, chunk_bytes, physical, index, stream) &
      bind(C, name="quire_fortran_add_stream")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      type(*), dimension(..), intent(in) :: task
      type(*), dimension(..), intent(in), optional :: chunk_bytes
      type(*), dimension(..), intent(in), optional :: physical
      type(*), dimension(..), intent(in), optional :: index
      integer(c_int), intent(inout) :: stream
    end function quire_fortran_add_stream

    integer(c_int) function quire_fortran_write_stream(file, stream, values, together) &
      bind(C, name="quire_fortran_write_stream")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      type(*), dimension(..), intent(in) :: values
      integer(c_int), value :: together
    end function quire_fortran_write_stream

    integer(c_int) function quire_fortran_write_record(file, stream, key, values) &
      bind(C, name="quire_fortran_write_record")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      type(*), dimension(..), intent(in) :: key
      type(*), dimension(..), intent(in) :: values
    end function quire_fortran_write_record

    integer(c_int) function quire_fortran_ensure_space(file, stream, bytes) &
      bind(C, name="quire_fortran_ensure_space")
      import :: c_int, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      type(*), dimension(..), intent(in) :: bytes
    end function quire_fortran_ensure_space

    integer(c_int) function quire_fortran_space(file, stream, bytes) &
      bind(C, name="quire_fortran_space")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      integer(c_int64_t), intent(inout) :: bytes
    end function quire_fortran_space

    integer(c_int) function quire_fortran_stream_size(file, stream, bytes) &
      bind(C, name="quire_fortran_stream_size")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      integer(c_int64_t), intent(inout) :: bytes
    end function quire_fortran_stream_size

    integer(c_int) function quire_fortran_count_streams(file, count) &
      bind(C, name="quire_fortran_count_streams")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), intent(inout) :: count
    end function quire_fortran_count_streams

    integer(c_int) function quire_fortran_find_streams_all(file, count, wanted, by_index) &
      bind(C, name="quire_fortran_find_streams_all")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: wanted(*)
      integer(c_int), value :: by_index
    end function quire_fortran_find_streams_all

    integer(c_int) function quire_fortran_stream_info(file, stream, info, size) &
      bind(C, name="quire_fortran_stream_info")
      import :: c_int, c_int64_t, c_ptr, c_stream_info
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      type(c_stream_info), intent(inout) :: info
      integer(c_int64_t), value :: size
    end function quire_fortran_stream_info

    integer(c_int) function quire_fortran_read_stream(file, stream, values, position, bytes) &
      bind(C, name="quire_fortran_read_stream")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      type(*), dimension(..), intent(inout) :: values
      type(*), dimension(..), intent(in), optional :: position
      integer(c_int64_t), intent(inout), optional :: bytes
    end function quire_fortran_read_stream

    integer(c_int) function quire_fortran_next_record(file, stream, key, bytes) &
      bind(C, name="quire_fortran_next_record")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: file
      integer(c_int), value :: stream
      integer(c_int64_t), intent(inout) :: key
      integer(c_int64_t), intent(inout) :: bytes
    end function quire_fortran_next_record
  end interface
end module quire_stream_binding
