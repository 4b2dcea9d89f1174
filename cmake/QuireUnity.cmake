# With QUIRE_UNITY the sources of each folder of the library are compiled as one, which takes less time where all are
# compiled once. Those below are compiled alone: they have private names that others of their folder have as well.

get_target_property(sources quire SOURCES)
foreach(source IN LISTS sources)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  string(MAKE_C_IDENTIFIER "${folder}" group)
  set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
endforeach()
set_target_properties(quire PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)

set(alone
    api/simulate/workload_simulation
    api/write/chosen_rows
    api/write/put_elements
    api/write/write_streams
    capi/tables
    format/h5part/geometry
    format/h5part/mesh_tables
    format/h5part/rewriting
    format/hdf5/guard/superblock
    format/hdf5/guard/type_check
    format/hdf5/image/split
    format/hdf5/library/column_order
    format/hdf5/library/datasets
    format/hdf5/library/words
    format/nektar/streams/describer
    format/nektar/xml/payload_text
    format/nektar/xml/reader
    format/nektar/xml_scanner
    format/openpmd/patches
    format/openpmd/structure
    format/plain/describer
    format/plain/structure
    format/records_lines
    format/sdds/binary_plan
    format/sdds/fit
    format/sdds/header_parser
    format/sdds/header_writer
    format/sdds/page_parts
    format/sdds/page_plan
    format/sdds/record_walk
    format/sdds/schema
    format/sdds/table_plan
    format/sdds/text_plan
    format/sdds/text_values
    format/sdds/text_walk
    format/sion/physical_file
    format/text/text_encoder
    format/text/tokens
    model/unit_parser
    model/units
    query/parser
    transport/write_pieces
    transport/xz_coder)
list(TRANSFORM alone PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
list(TRANSFORM alone APPEND .cpp)
set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# Private types of a file are members of public ones, and all are in a file that is included.
target_compile_options(quire PRIVATE -Wno-subobject-linkage)
