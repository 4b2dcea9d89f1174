!> Writes a stream of each rank, which tests/fortran/test_programs.py also writes in Python: written_streams PATH FORMAT
program written_streams
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use quire_mpi
  implicit none (type, external)
  type(quire_writer) :: out
  type(quire_options) :: options
  character(len=1000) :: path, format
  integer :: rank, stream

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, path)
  call get_command_argument(2, format)
  options%format = format
  call quire_create(out, path, MPI_COMM_WORLD, options)
  call out%step(0)
  call quire_add_stream(out, stream, task=rank, chunk_bytes=4096)
  call out%open_step()
  call quire_write_stream(out, stream, "head")
  call quire_write_stream(out, stream, [real(real64) :: rank, 0.5])
  call out%commit()
  call out%close()
  call MPI_Finalize()
end program written_streams
