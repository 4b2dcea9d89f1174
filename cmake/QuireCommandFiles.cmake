# Man pages of the commands and completion of their words, made from the parsers of the command line. These
# need typer, but nothing that is compiled.

execute_process(
  COMMAND "${Python_EXECUTABLE}" -c "import typer"
  RESULT_VARIABLE typer_status
  OUTPUT_QUIET ERROR_QUIET)
if(typer_status)
  message(STATUS "Man pages and completion: not made, because ${Python_EXECUTABLE} has no typer")
  return()
endif()

set(man_folder "${PROJECT_BINARY_DIR}/man")
set(completion_folder "${PROJECT_BINARY_DIR}/completion")
file(GLOB command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/quire/cli/*.py")
add_custom_command(
  OUTPUT "${man_folder}/quire.1"
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/write_man.py" "${man_folder}"
  DEPENDS ${command_sources}
          "${PROJECT_SOURCE_DIR}/scripts/write_man.py"
          "${PROJECT_SOURCE_DIR}/scripts/manual/commands.py"
          "${PROJECT_SOURCE_DIR}/scripts/manual/man_pages.py"
  COMMENT "Making man pages"
  VERBATIM)
add_custom_command(
  OUTPUT "${completion_folder}/bash-completion/completions/quire"
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/write_completion.py" "${completion_folder}"
  DEPENDS "${PROJECT_SOURCE_DIR}/scripts/write_completion.py"
  COMMENT "Making the completion of bash, zsh and fish"
  VERBATIM)
add_custom_target(quire_man ALL DEPENDS "${man_folder}/quire.1")
add_custom_target(quire_completion ALL DEPENDS "${completion_folder}/bash-completion/completions/quire")

# In a wheel they belong to its data, which pip installs below the prefix of the environment.
if(SKBUILD)
  set(man_destination "${SKBUILD_DATA_DIR}/share/man/man1")
  set(completion_destination "${SKBUILD_DATA_DIR}/share")
  set(component python)
else()
  set(man_destination "${CMAKE_INSTALL_MANDIR}/man1")
  set(completion_destination "${CMAKE_INSTALL_DATADIR}")
  set(component tools)
endif()
install(DIRECTORY "${man_folder}/" DESTINATION "${man_destination}" COMPONENT ${component})
install(DIRECTORY "${completion_folder}/" DESTINATION "${completion_destination}" COMPONENT ${component})
