# Man pages of the commands, made from the parsers of the command line. These need typer, but nothing that is
# compiled.

execute_process(
  COMMAND "${Python_EXECUTABLE}" -c "import typer"
  RESULT_VARIABLE typer_status
  OUTPUT_QUIET ERROR_QUIET)
if(typer_status)
  message(STATUS "Man pages: not made, because ${Python_EXECUTABLE} has no typer")
  return()
endif()

set(man_folder "${PROJECT_BINARY_DIR}/man")
file(GLOB man_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/quire/cli/*.py")
add_custom_command(
  OUTPUT "${man_folder}/quire.1"
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/write_man.py" "${man_folder}"
  DEPENDS ${man_sources}
          "${PROJECT_SOURCE_DIR}/scripts/write_man.py"
          "${PROJECT_SOURCE_DIR}/scripts/manual/commands.py"
          "${PROJECT_SOURCE_DIR}/scripts/manual/man_pages.py"
  COMMENT "Making man pages"
  VERBATIM)
add_custom_target(quire_man ALL DEPENDS "${man_folder}/quire.1")

# In a wheel they belong to its data, which pip installs below the prefix of the environment.
if(SKBUILD)
  install(DIRECTORY "${man_folder}/" DESTINATION "${SKBUILD_DATA_DIR}/share/man/man1" COMPONENT python)
else()
  install(DIRECTORY "${man_folder}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
endif()
