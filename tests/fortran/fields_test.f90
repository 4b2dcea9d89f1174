!> Fields, texts and inquiry in files of one process.
module fields_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use quire
  implicit none (type, external)
  private
  public :: test_format

  integer, parameter :: nx = 4, ny = 3, nz = 2
  character(len=:), allocatable :: format
  integer, public :: formats_with_fields = 0, formats_with_texts = 0

contains

  !> All cases with files of a format.
  subroutine test_format(name)
    character(len=*), intent(in) :: name
    logical :: holds
    format = name
    call keeps_texts()
    call keeps_descriptions()
    call holds_fields(holds)
    if (.not. holds) return
    formats_with_fields = formats_with_fields + 1
    call keeps_the_order_of_axes()
    call writes_inner_elements()
    call writes_every_other_element()
    call keeps_all_ranks_and_kinds()
    call keeps_components()
    call refuses_wrong_boxes()
  end subroutine test_format

  subroutine create(out, name)
    type(quire_writer), intent(inout) :: out
    character(len=*), intent(in) :: name
    type(quire_options) :: options
    options%format = format
    call quire_create(out, path_of(name), options=options)
    call out%step(0)
  end subroutine create

  subroutine open_step(in, name)
    type(quire_reader), intent(inout) :: in
    character(len=*), intent(in) :: name
    call quire_open(in, path_of(name))
    call in%step(0)
  end subroutine open_step

  function path_of(name) result(path)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: path
    path = test_path(name // "." // format)
  end function path_of

  subroutine finish(out)
    type(quire_writer), intent(inout) :: out
    call out%commit()
    call out%close()
  end subroutine finish

  subroutine holds_fields(holds)
    logical, intent(out) :: holds
    type(quire_writer) :: out
    real(real64), target :: phi(nx, ny, nz)
    integer :: stat
    phi = 0
    call create(out, "probe")
    call out%put_field("phi", phi, stat=stat)
    call out%commit(stat)
    holds = stat == quire_ok
  end subroutine holds_fields

  !> The value of an element, which shows its three indices.
  pure real(real64) function value_at(i, j, k)
    integer, intent(in) :: i, j, k
    value_at = i + 10 * j + 100 * k
  end function value_at

  subroutine keeps_the_order_of_axes()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_info) :: info
    real(real64), target :: phi(nx, ny, nz)
    real(real64) :: found(nx, ny, nz), column(1, 1, nz), line(2, 1, 1)
    integer :: i, j, k
    phi = reshape([(((value_at(i, j, k), i=1, nx), j=1, ny), k=1, nz)], [nx, ny, nz])
    call create(out, "order")
    call out%put_field("phi", phi, unit="V")
    call finish(out)
    call expect(out%copied() == 0, format // ": a contiguous field is not copied")
    call open_step(in, "order")
    call expect(all(in%extents("phi") == [nx, ny, nz]), format // ": the first index is the fastest axis")
    call expect(in%components("phi") == 1, format // ": a scalar field")
    info = in%info(quire_fields, "phi")
    call expect(info%unit == "V" .and. info%kind == quire_real64, format // ": unit and kind of a field")
    call expect(all(info%extents == [nx, ny, nz]), format // ": extents by inquiry")
    call in%read_field("phi", found)
    call expect(all(found == phi), format // ": a field")
    call in%read_field_all("phi", column, start=[3, 2, 1])
    call expect(all(column == phi(3:3, 2:2, :)), format // ": a column of a field")
    call in%read_field("phi", line, start=[2, 3, 2], stride=[2, 1, 1])
    call expect(all(line == phi(2:4:2, 3:3, 2:2)), format // ": every other element of a line")
    found = -1
    call in%read_field("phi", found(2:3, 2:3, :), start=[2_int64, 1_int64, 1_int64])
    call expect(all(found(2:3, 2:3, :) == phi(2:3, 1:2, :)), format // ": reading into a section")
    call expect(count(found == -1) == size(found) - 8, format // ": elements outside of the section")
  end subroutine keeps_the_order_of_axes

  subroutine writes_inner_elements()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), target :: with_ghosts(0:nx + 1, 0:ny + 1)
    real(real64) :: found(nx, ny)
    integer :: i, j
    with_ghosts = reshape([((value_at(i, j, 0), i=0, nx + 1), j=0, ny + 1)], [nx + 2, ny + 2])
    call create(out, "ghosts")
    call out%put_field("phi", with_ghosts(1:nx, 1:ny))
    call expect(out%copied() == 8 * nx * ny, format // ": inner elements are copied, and counted")
    call finish(out)
    call open_step(in, "ghosts")
    call in%read_field("phi", found)
    call expect(all(found == with_ghosts(1:nx, 1:ny)), format // ": inner elements")
  end subroutine writes_inner_elements

  subroutine writes_every_other_element()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), target :: odd(2, ny)
    real(real64) :: found(nx, ny)
    integer :: stat
    odd = 1
    call create(out, "stride")
    call out%put_field("phi", odd, extents=[nx, ny], start=[1, 1], stride=[2, 1])
    call out%commit(stat)
    if (stat == quire_unsupported) return
    call expect_status(stat, quire_ok, format // ": a hyperslab")
    call out%close()
    call open_step(in, "stride")
    call in%read_field("phi", found)
    call expect(all(found(1::2, :) == 1) .and. all(found(2::2, :) == 0), format // ": every other element")
  end subroutine writes_every_other_element

  subroutine keeps_all_ranks_and_kinds()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real32), target :: line(nx)
    integer(int32), target :: plane(nx, ny)
    integer(int64), target :: volume(nx, ny, nz)
    real(real64), target :: hyper(2, 2, nx, ny)
    real(real32) :: line_read(nx)
    integer(int32) :: plane_read(nx, ny)
    integer(int64) :: volume_read(nx, ny, nz)
    real(real64) :: hyper_read(2, 2, nx, ny)
    integer :: i
    character(len=6), parameter :: names(4) = ["line  ", "plane ", "volume", "hyper "]
    integer :: stat
    line = [(real(i, real32), i=1, nx)]
    plane = reshape([(i, i=1, nx * ny)], shape(plane))
    volume = reshape([(2_int64**40 + i, i=1, nx * ny * nz)], shape(volume))
    hyper = reshape([(0.5_real64 * i, i=1, 4 * nx * ny)], shape(hyper))
    do i = 1, 4
      call create(out, trim(names(i)))
      select case (i)
      case (1)
        call out%put_field("f", line, stat=stat)
      case (2)
        call out%put_field("f", plane, stat=stat)
      case (3)
        call out%put_field_copy("f", volume + 1, stat=stat)
      case (4)
        call out%put_field("f", hyper, stat=stat)
      end select
      call out%commit(stat)
      if (stat == quire_unsupported) cycle  ! formats of three axes
      call expect_status(stat, quire_ok, format // ": the field " // names(i), out%message())
      call out%close()
      call open_step(in, trim(names(i)))
      if (in%count(quire_fields) == 0) cycle  ! an array of rank 1 is a column there
      select case (i)
      case (1)
        call in%read_field("f", line_read)
        call expect(all(line == line_read), format // ": rank 1")
      case (2)
        call in%read_field("f", plane_read)
        call expect(all(plane == plane_read), format // ": rank 2")
      case (3)
        call in%read_field("f", volume_read)
        call expect(all(volume + 1 == volume_read), format // ": rank 3")
      case (4)
        call in%read_field("f", hyper_read)
        call expect(all(hyper == hyper_read), format // ": rank 4")
      end select
    end do
  end subroutine keeps_all_ranks_and_kinds

  subroutine keeps_components()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), target :: e(nx, ny, nz, 3)
    real(real64) :: x(nx, ny, nz), y(nx, ny, nz), z(nx, ny, nz)
    integer :: i, stat
    e = reshape([(real(i, real64), i=1, size(e))], shape(e))
    call create(out, "vector")
    call out%put_vector_field("E", e(:, :, :, 1), e(:, :, :, 2), e(:, :, :, 3), unit="V/m")
    call out%put_vector_field_copy("B", -e(:, :, :, 1), 2 * e(:, :, :, 2), e(:, :, :, 3))
    call expect(out%copied() == 3 * 8 * nx * ny * nz, format // ": components that are contiguous are not copied")
    call finish(out)
    call open_step(in, "vector")
    call in%read_field("E[0]", x, stat=stat)
    if (stat == quire_ok) then  ! a field for each component
      call in%read_field("E[2]", z)
      call expect(all(x == e(:, :, :, 1)) .and. all(z == e(:, :, :, 3)), format // ": components as fields")
      return
    end if
    call expect(in%components("E") == 3, format // ": a vector field")
    call in%read_vector_field("E", x, y, z)
    call expect(all(x == e(:, :, :, 1)) .and. all(y == e(:, :, :, 2)) .and. all(z == e(:, :, :, 3)), &
                format // ": components")
    call in%read_vector_field_all("B", x, y, z)
    call expect(all(x == -e(:, :, :, 1)) .and. all(y == 2 * e(:, :, :, 2)), format // ": copied components")
  end subroutine keeps_components

  subroutine refuses_wrong_boxes()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), target :: phi(nx, ny), other(ny, nx)
    character(len=1000) :: message
    integer :: stat
    phi = 1
    other = 1
    call create(out, "boxes")
    call out%put_field("phi", phi, extents=[nx, ny, nz], stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": extents of another rank", message)
    call out%put_field("phi", phi, extents=[nx, ny], start=[0, 1], stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": element 0", message)
    call expect_text(message, "count from 1")
    call out%put_field("phi", phi(1::2, :), stat=stat, errmsg=message)
    call expect_text(message, "put_field_copy")
    call out%put_vector_field("E", phi, other, stat=stat, errmsg=message)
    call expect_text(message, "differ in type or shape")
    call out%commit(stat, message)
    call expect_status(stat, quire_usage, format // ": the commit after wrong boxes", message)
    call create(out, "boxes")
    call out%put_field("phi", phi)
    call finish(out)
    call open_step(in, "boxes")
    call in%read_field("phi", phi, start=[1], stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": start of another rank", message)
    call in%read_field_all("phi", phi, start=[1], stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": start of another rank, collectively", message)
    call in%read_field("psi", phi, stat=stat)
    call expect_status(stat, quire_missing, format // ": a field that is missing")
    call expect(size(in%extents("psi", stat)) == 0 .and. stat == quire_missing, format // ": no extents")
  end subroutine refuses_wrong_boxes

  subroutine keeps_texts()
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=12) :: names(3), found(3)
    character(len=4) :: short(3)
    real(real64), target :: s(3)
    character(len=1000) :: message
    integer :: stat
    names = [character(len=12) :: "quad", "drift 2", "" ]
    s = [1, 2, 3]
    call create(out, "texts")
    call out%put("s", s)
    call out%put("name", names)
    call out%commit(stat, message)
    if (stat == quire_unsupported) return
    call expect_status(stat, quire_ok, format // ": a column of texts", message)
    call out%close()
    formats_with_texts = formats_with_texts + 1
    call open_step(in, "texts")
    call in%read("name", found)
    call expect(all(found == names), format // ": texts")
    found = ""
    call in%read_all("name", found(1:1), first=2)
    call expect(found(1) == "drift 2", format // ": the second text")
    call in%read("name", short, stat=stat, errmsg=message)
    call expect_status(stat, quire_type, format // ": a text that is too long", message)
    call in%read("name", s, stat=stat)
    call expect(stat /= quire_ok, format // ": texts are no numbers")
  end subroutine keeps_texts

  subroutine keeps_descriptions()
    type(quire_writer) :: out
    type(quire_reader) :: in
    type(quire_options) :: options
    type(quire_info) :: info
    character(len=:), allocatable :: name, title, contents
    real(real64), target :: x(3), px(3)
    integer :: stat
    x = 1
    px = 2
    options%format = format
    call quire_create(out, path_of("described"), options=options)
    call out%set_title("A beam", "particles", stat=stat)
    call out%step(0)
    call out%set("s", 1.5_real64, unit="m")
    call out%set_description("horizontal position", symbol="x")
    call out%put("x", x, unit="m")
    call out%put("px", px)
    call finish(out)
    call open_step(in, "described")
    call expect(in%count(quire_columns) == 2, format // ": number of columns")
    name = in%name(quire_columns, 1) // " " // in%name(quire_columns, 2)
    call expect(name == "x px" .or. name == "px x", format // ": names of columns")
    name = in%name(quire_columns, 3, stat)
    call expect_status(stat, quire_missing, format // ": a third column")
    info = in%info(quire_columns, "x")
    call expect(info%name == "x" .and. info%unit == "m" .and. info%kind == quire_real64, format // ": a column")
    call expect(info%count == 3, format // ": its rows")
    if (info%description /= "") then
      call expect(info%description == "horizontal position" .and. info%symbol == "x", format // ": its description")
      info = in%info(quire_columns, "px")
      call expect(info%description == "", format // ": the description belongs to one column")
    end if
    info = in%info(quire_columns, "y", stat)
    call expect_status(stat, quire_missing, format // ": a column that is missing")
    call in%get_file_info(name, title, contents)
    call expect(name == format, format // ": the name of the format")
    if (title /= "") call expect(title == "A beam" .and. contents == "particles", format // ": the title")
  end subroutine keeps_descriptions
end module fields_cases

program fields_test
  use checks, only: expect, number_of_failures
  use fields_cases, only: formats_with_fields, formats_with_texts, test_format
  use quire, only: quire_format_holds_tables, quire_format_name
  implicit none (type, external)
  integer :: index
  index = 1
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_tables(quire_format_name(index))) call test_format(quire_format_name(index))
    index = index + 1
  end do
  call expect(formats_with_fields > 2, "there are several formats with fields")
  call expect(formats_with_texts > 1, "there are several formats with texts")
  if (number_of_failures() > 0) error stop 1
end program fields_test
