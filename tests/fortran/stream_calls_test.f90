!> Streams: the bytes of one task each.
module stream_calls_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use files
  use quire
  use world
  implicit none (type, external)
  private
  public :: test_format, refuses_handles_without_a_file

  integer, parameter :: chunk = 4096
  character(len=*), parameter :: head = "the first piece "
  character(len=32), parameter :: keys(1) = [character(len=32) :: "keys=true"]
  integer, public, protected :: with_records = 0  !< formats
  logical :: is_last

contains

  !> All cases with files of a format.
  subroutine test_format(format)
    character(len=*), intent(in) :: format
    character(len=:), allocatable :: pending, placed
    is_last = test_rank == ranks - 1
    call write_streams(format, "pending", .false., pending)
    call write_streams(format, "placed", .true., placed)
    call reads_streams(format, pending)
    call reads_streams(format, placed)
    call agrees_on_wrong_pieces(format)
    call keeps_records(format)
  end subroutine test_format

  !> Two streams of each rank, of pieces of all kinds.
  subroutine write_streams(format, name, is_placed, path)
    character(len=*), intent(in) :: format, name
    logical, intent(in) :: is_placed
    character(len=:), allocatable, intent(out) :: path
    type(quire_writer) :: out
    integer :: streams(2), i
    integer(int32) :: counts(2, 3)
    call create(out, name, format, path)
    call expect(.not. out%overlaps(), format // ": streams are not written in the background")
    call out%step(0)
    do i = 1, 2
      call quire_add_stream(out, streams(i), task=2 * test_rank + i - 1, chunk_bytes=chunk)
    end do
    call expect(all(streams == [1, 2]), format // ": streams count from 1")
    if (is_placed) then
      call out%open_step()
      call expect(quire_space(out, streams(1)) >= chunk, format // ": space in a chunk")
    end if
    counts(1, :) = [1, 2, 3] + test_rank
    counts(2, :) = 0
    call quire_write_stream(out, streams(1), head)
    call quire_ensure_space(out, streams(1), 100)
    call quire_write_stream(out, streams(1), [real(real64) :: 0.5, 1.5])
    call quire_write_stream(out, streams(1), counts(1, :))  ! a section
    counts = -1
    call quire_write_stream(out, streams(1), [7_int64], together=.true.)
    call quire_write_stream(out, streams(2), 2.5_real32)
    call expect(quire_stream_size(out, streams(1)) == len(head) + 16 + 12 + 8, format // ": bytes of a stream")
    call out%commit()
    call out%close()
  end subroutine write_streams

  subroutine reads_streams(format, path)
    character(len=*), intent(in) :: format, path
    type(quire_reader) :: in
    type(quire_stream_info) :: info
    character(len=len(head)) :: text
    character(len=1000) :: message
    real(real64) :: numbers(2)
    real(real32) :: last(2)
    integer(int32) :: counts(3)
    integer(int64) :: id, bytes
    integer :: stat, wanted, other
    other = ranks - 1 - test_rank
    call open_step(in, path, 0)
    call expect(quire_count_streams(in) == 2 * ranks, format // ": number of streams")
    call quire_find_streams_all(in, [2 * other + 1, 2 * other])
    call quire_get_stream_info(in, 2, info)
    call expect(info%task == 2 * other .and. info%bytes == len(head) + 36, format // ": a stream")
    call expect(info%index >= 1 .and. info%file == 1 .and. info%chunks >= 1, format // ": its place counts from 1")
    call expect(.not. info%has_records .and. info%chunk_bytes >= chunk, format // ": its chunks")
    call expect(quire_stream_size(in, 2) == info%bytes, format // ": its size")

    ! One after the other, and from a position on.
    call quire_read_stream(in, 2, text)
    call quire_read_stream(in, 2, numbers)
    call quire_read_stream(in, 2, counts)
    call quire_read_stream(in, 2, id)
    call expect(text == head .and. all(numbers == [real(real64) :: 0.5, 1.5]), format // ": text and real64")
    call expect(all(counts == [1, 2, 3] + other) .and. id == 7, format // ": int32 and int64")
    numbers = 0
    call quire_read_stream(in, 2, numbers(2), position=len(head) + 9)
    call expect(all(numbers == [real(real64) :: 0, 1.5]), format // ": a position counts from 1")
    last = -1
    call quire_read_stream(in, 1, last, bytes=bytes)
    call expect(bytes == 4 .and. all(last == [2.5_real32, -1.0_real32]), format // ": the end of a stream")
    call quire_read_stream(in, 1, last, position=1, stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, format // ": more than the stream has", message)
    call quire_read_stream(in, 3, last, stat=stat)
    call expect_status(stat, quire_usage, format // ": a stream that was not found")
    call quire_read_stream(in, 1, last, position=0, stat=stat)
    call expect_status(stat, quire_usage, format // ": position 0")

    call quire_find_streams_all(in, [1], by_index=.true.)
    call quire_get_stream_info(in, 1, info)
    call expect(info%index == 1, format // ": a stream by its index")
    wanted = merge(99999, 0, is_last)
    call quire_find_streams_all(in, [wanted], stat=stat, errmsg=message)
    call expect_status(stat, quire_missing, format // ": a missing task on one rank", message)
    call quire_get_stream_info(in, 1, info, stat)
    call expect_status(stat, quire_usage, format // ": no stream after an error")
    call quire_find_streams_all(in, [merge(0, 1, is_last)], by_index=.true., stat=stat)
    call expect_status(stat, quire_missing, format // ": index 0 on one rank")
    call quire_find_streams_all(in, [integer ::])
    call in%close()
  end subroutine reads_streams

  !> What one rank writes wrongly fails the commit on all ranks.
  subroutine agrees_on_wrong_pieces(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    character(len=:), allocatable :: path
    character(len=1000) :: message
    integer :: stream, stat
    call create(out, "wrong", format, path)
    call out%step(0)
    call quire_add_stream(out, stream, task=test_rank, chunk_bytes=chunk)
    if (is_last) then
      call quire_add_stream(out, stream, task=9, chunk_bytes=-1, stat=stat, errmsg=message)
      call expect_status(stat, quire_usage, format // ": a negative chunk", message)
      call quire_add_stream(out, stream, task=1.5, stat=stat)
      call expect_status(stat, quire_usage, format // ": a task that is no integer")
      call quire_add_stream(out, stream, task=9, file=0, stat=stat)
      call expect_status(stat, quire_usage, format // ": file 0")
      call quire_ensure_space(out, 1, -1, stat)
      call expect_status(stat, quire_usage, format // ": negative space")
      call quire_write_stream(out, 2, head, stat=stat)
      call expect_status(stat, quire_usage, format // ": a stream that was not added")
    end if
    call out%commit(stat, message)
    call expect_status(stat, merge(quire_usage, quire_aborted, is_last), format // ": a wrong stream on one rank", message)
    call expect_text(message, "chunk_bytes")
  end subroutine agrees_on_wrong_pieces

  !> Streams of records, where an option of the writer asks for them.
  subroutine keeps_records(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64) :: values(3)
    integer(int64) :: key, bytes
    integer :: stream, stat
    call create(out, "records", format, path, keys, stat)
    if (stat /= quire_ok) return
    with_records = with_records + 1
    call out%step(0)
    call quire_add_stream(out, stream, task=test_rank, chunk_bytes=chunk)
    call quire_write_record(out, stream, 11, [real(real64) :: 1, 2, test_rank])
    call quire_write_record(out, stream, 2_int64**40, head)
    call out%commit()
    call out%close()
    call open_step(in, path, 0)
    call quire_find_streams_all(in, [test_rank])
    call quire_next_record(in, 1, key, bytes)
    call expect(key == 11 .and. bytes == 24, format // ": the first record")
    call quire_read_stream(in, 1, values)
    call expect(all(values == [real(real64) :: 1, 2, test_rank]), format // ": its values")
    call quire_next_record(in, 1, key, bytes)
    call expect(key == 2_int64**40 .and. bytes == len(head), format // ": a large key")
    call quire_next_record(in, 1, key, bytes, stat)
    call expect_status(stat, quire_missing, format // ": the last record")
    call in%close()
  end subroutine keeps_records

  subroutine refuses_handles_without_a_file()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_stream_info) :: info
    character(len=4) :: text
    integer(int64) :: key, bytes(4)
    integer :: stream, stat(11)
    text = ""
    call quire_add_stream(out, stream, 0, stat=stat(1))
    call quire_write_stream(out, 1, text, stat=stat(2))
    call quire_write_record(out, 1, 1, text, stat(3))
    call quire_ensure_space(out, 1, 1, stat(4))
    bytes(1) = quire_space(out, 1, stat(5))
    bytes(2) = quire_stream_size(out, 1, stat(6))
    bytes(3) = quire_count_streams(in, stat(7))
    call quire_find_streams_all(in, [1], stat=stat(8))
    call quire_get_stream_info(in, 1, info, stat(9))
    call quire_read_stream(in, 1, text, stat=stat(10))
    call quire_next_record(in, 1, key, bytes(4), stat(11))
    call expect(all(stat == quire_usage), "streams without a file")
    call expect(stream == 0 .and. all(bytes == 0), "results after errors")
  end subroutine refuses_handles_without_a_file
end module stream_calls_cases

program stream_calls_test
  use checks, only: expect
  use quire, only: quire_format_holds_streams, quire_format_name
  use stream_calls_cases
  use world, only: begin_world, end_world
  implicit none (type, external)
  integer :: index, tested
  call begin_world()
  index = 1
  tested = 0
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_streams(quire_format_name(index))) then
      call test_format(quire_format_name(index))
      tested = tested + 1
    end if
    index = index + 1
  end do
  call expect(tested > 0 .and. with_records > 0, "a format has streams, and records")
  call refuses_handles_without_a_file()
  call end_world()
end program stream_calls_test
