!> Where the elements of fields are in space, attributes of fields, and constant columns.
module grids_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use checks
  use files
  use quire
  use world, only: ranks
  implicit none (type, external)
  private
  public :: test_format, refuses_handles_without_a_file

  integer, parameter :: nx = 4, ny = 3, nz = 2
  real(real64), parameter :: first(3) = [1.0_real64, -2.0_real64, 0.5_real64]
  real(real64), parameter :: apart(3) = [0.1_real64, 0.2_real64, 0.4_real64]
  real(real64), parameter :: places(2) = [0.5_real64, 3.0_real64]
  !> Formats that keep what a case needs.
  integer, public :: with_grids = 0, with_coordinates = 0, with_field_attributes = 0, with_constants = 0, with_fields = 0
  integer, public :: with_groups = 0

contains

  !> All cases with files of a format.
  subroutine test_format(format)
    character(len=*), intent(in) :: format
    call keeps_constants(format)
    call keeps_positions(format)
    call refuses_wrong_positions(format)
  end subroutine test_format

  !> The first element of this rank's layers of the field.
  function mine() result(start)
    integer :: start(3)
    start = [1, 1, nz * test_rank + 1]
  end function mine

  function whole() result(extents)
    integer :: extents(3)
    extents = [nx, ny, nz * ranks]
  end function whole

  !> A step with a field, its grid, coordinates and attributes, whole or in parts.
  subroutine write_field(format, path, in_parts, stat)
    character(len=*), intent(in) :: format
    character(len=:), allocatable, intent(out) :: path
    logical, intent(in) :: in_parts
    integer, intent(out) :: stat
    type(quire_writer) :: out
    real(real64), target :: phi(nx, ny, nz)
    phi = 1
    call create(out, "grid", format, path)
    call out%step(0)
    call out%set("s", 2.5_real64, unit="m")
    call out%set_owner(quire_owner_field, "phi")
    call out%set("solver", "fft")
    call out%set_owner(quire_owner_default)
    call out%set_grid("phi", origin=first, spacing=apart)
    if (in_parts) then
      call out%declare_field("phi", quire_real64, extents=whole(), start=mine(), count=[nx, ny, nz], stat=stat)
      if (out%weighs_values()) then
        call out%agree_on_rows(stat)
        if (stat /= quire_ok) return
        call out%weigh_field("phi", phi, start=mine())
      end if
      call out%open_step(stat)
      if (stat /= quire_ok) return
      call out%write_field("phi", phi, start=mine())
    else
      call out%put_field("phi", phi, extents=whole(), start=mine(), unit="V", stat=stat)
    end if
    call out%commit(stat)
    if (stat == quire_ok) call out%close()
  end subroutine write_field

  subroutine keeps_positions(format)
    character(len=*), intent(in) :: format
    type(quire_reader) :: in
    character(len=:), allocatable :: path, solver
    real(real64), allocatable :: origin(:), spacing(:)
    integer :: stat, way
    do way = 1, 2
      call write_field(format, path, way == 2, stat)
      if (stat /= quire_ok) cycle
      with_fields = with_fields + 1
      call open_step(in, path, 0)
      call in%get_grid("phi", origin, spacing)
      if (spacing(1) == spacing(1)) then  ! no NaN
        with_grids = with_grids + 1
        call expect(all(origin == first) .and. all(spacing == apart), format // ": the grid, fastest axis first")
      end if
      call expect(size(in%coordinates("phi", 1)) == 0, format // ": an axis that is regular")
      call in%set_owner(quire_owner_field, "phi")
      call in%get("solver", solver, stat)
      if (stat == quire_ok) then
        with_field_attributes = with_field_attributes + 1
        call expect(solver == "fft", format // ": an attribute of a field")
      end if
      call in%get("s", solver, stat)
      call expect_status(stat, quire_missing, format // ": an attribute of the step is none of the field")
      call in%close()
    end do
    call keeps_coordinates(format)
    call keeps_groups(format)
  end subroutine keeps_positions

  subroutine keeps_groups(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path, name
    real(real64), target :: phi(nx, ny, nz)
    integer :: stat
    phi = 1
    call create(out, "groups", format, path)
    call out%step(0)
    call out%set_group("phi", "potentials")
    call out%put_field("phi", phi, extents=whole(), start=mine(), unit="V", stat=stat)
    call out%commit(stat)
    if (stat /= quire_ok) return
    call out%close()
    call open_step(in, path, 0)
    allocate (name, source=in%name(quire_fields, 1))
    if (name /= "phi") then
      with_groups = with_groups + 1
      call expect(name == "potentials/phi", format // ": a field of a group: " // name)
    end if
  end subroutine keeps_groups

  subroutine keeps_coordinates(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: phi(nx, ny, nz)
    real(real64), allocatable :: positions(:), found(:)
    integer :: stat, i
    phi = 1
    allocate (positions(nz * ranks), source=[(0.5_real64 * i * i, i=1, nz * ranks)])
    call create(out, "coordinates", format, path)
    call out%step(0)
    call out%set_coordinates("phi", 3, positions)
    call out%put_field("phi", phi, extents=whole(), start=mine(), unit="V", stat=stat)
    call out%commit(stat)
    if (stat /= quire_ok) return
    call out%close()
    call open_step(in, path, 0)
    allocate (found, source=in%coordinates("phi", 3))
    if (size(found) > 0) then
      with_coordinates = with_coordinates + 1
      call expect(size(found) == nz * ranks, format // ": the number of coordinates")
      call expect(all(found == positions), format // ": coordinates of the slowest axis")
    end if
  end subroutine keeps_coordinates

  subroutine keeps_constants(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    real(real64), target :: x(3)
    real(real64) :: mass(3)
    real(real32) :: charge(3)
    integer(int64) :: weight(3)
    integer(int32) :: kind(3)
    x = [1, 2, 3]
    call create(out, "constants", format, path)
    call out%step(0)
    call out%put("x", x, unit="m")
    call out%put_constant("mass", 0.511_real64, unit="MeV")
    call out%put_constant("charge", -1.0_real32)
    call out%put_constant("weight", 2_int64**40)
    call out%put_constant("kind", 7_int32)
    call out%commit()
    call out%close()
    call open_step(in, path, 0)
    call in%read("mass", mass)
    call in%read("charge", charge)
    call in%read("weight", weight)
    call in%read("kind", kind)
    call expect(all(mass == 0.511_real64) .and. all(charge == -1), format // ": constant reals")
    call expect(all(weight == 2_int64**40) .and. all(kind == 7), format // ": constant integers")
    if (in%count(quire_constants) > 0) with_constants = with_constants + 1
  end subroutine keeps_constants

  subroutine refuses_wrong_positions(format)
    character(len=*), intent(in) :: format
    type(quire_writer) :: out
    type(quire_reader) :: in
    character(len=:), allocatable :: path
    character(len=500) :: message
    real(real64), allocatable :: origin(:), spacing(:)
    real(real64), target :: phi(nx, ny, nz)
    integer :: stat
    phi = 1
    call create(out, "wrong", format, path)
    call out%set_coordinates("phi", 1, places, stat, message)
    call expect_status(stat, quire_usage, format // ": coordinates before a step", message)
    call out%step(0)
    call out%set_grid("phi", stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": neither origin nor spacing", message)
    call out%set_grid("phi", origin=first, spacing=apart(:2), stat=stat, errmsg=message)
    call expect_text(message, "different numbers")
    call out%set_coordinates("phi", 0, places, stat, message)
    call expect_text(message, "count from 1")
    call out%set_coordinates("phi", 4, places)
    call out%put_field("phi", phi, extents=whole(), start=mine(), stat=stat, errmsg=message)
    call expect_text(message, "there is no axis 4")
    call out%set_owner(17, stat=stat, errmsg=message)
    call expect_status(stat, quire_usage, format // ": an unknown owner", message)
    call out%commit(stat, message)
    call expect_status(stat, quire_usage, format // ": the commit after wrong positions", message)
    call write_field(format, path, .false., stat)
    if (stat /= quire_ok) return
    call open_step(in, path, 0)
    call in%get_grid("psi", origin, spacing, stat)
    call expect_status(stat, quire_missing, format // ": the grid of a field that is missing")
    call expect(size(origin) == 0 .and. size(spacing) == 0, format // ": no grid")
    call expect(size(in%coordinates("phi", 4, stat)) == 0, format // ": no coordinates of a fourth axis")
    call expect_status(stat, quire_usage, format // ": a fourth axis")
    call expect(size(in%coordinates("psi", 1, stat)) == 0 .and. stat == quire_missing, format // ": no such field")
  end subroutine refuses_wrong_positions

  !> Handles that were never opened.
  subroutine refuses_handles_without_a_file()
    type(quire_writer) :: out
    type(quire_reader) :: in
    real(real64), allocatable :: origin(:), spacing(:)
    integer :: stat(7)
    call out%set_grid("phi", origin=first, stat=stat(1))
    call out%set_coordinates("phi", 1, places, stat(2))
    call out%set_group("phi", "potentials", stat(3))
    call out%set_owner(quire_owner_step, stat=stat(4))
    call out%put_constant("mass", 1.0_real64, stat=stat(5))
    call in%get_grid("phi", origin, spacing, stat(6))
    call expect(size(in%coordinates("phi", 1, stat(7))) == 0, "no coordinates without a file")
    call expect(all(stat == quire_usage), "handles without a file")
  end subroutine refuses_handles_without_a_file
end module grids_cases

program grids_test
  use checks, only: expect
  use grids_cases
  use quire, only: quire_format_holds_tables, quire_format_name
  use world, only: begin_world, end_world
  implicit none (type, external)
  integer :: index
  call begin_world()
  index = 1
  do while (quire_format_name(index) /= "")
    if (quire_format_holds_tables(quire_format_name(index))) call test_format(quire_format_name(index))
    index = index + 1
  end do
  call refuses_handles_without_a_file()
  call expect(with_fields > 0 .and. with_grids > 0 .and. with_coordinates > 0, "a format keeps positions")
  call expect(with_field_attributes > 0 .and. with_constants > 0, "a format keeps attributes and constants")
  call expect(with_groups > 0, "a format keeps groups")
  call end_world()
end program grids_test
