# Installs the Python package. scikit-build-core puts the sources into a wheel itself, and a shared library next to them.
# `cmake --install` has the components `python` (the package) and `tools` (the command `quire` and its man pages).

if(SKBUILD)
  set(package quire)
  set(library_folder "$ORIGIN")
else()
  set(QUIRE_PYTHON_FOLDER "${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages"
      CACHE STRING "Where the Python package is installed, below the prefix")
  set(package "${QUIRE_PYTHON_FOLDER}/quire")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "${package}" OUTPUT_VARIABLE library_folder)
  string(PREPEND library_folder "$ORIGIN/")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/quire/" DESTINATION "${package}" COMPONENT python
          PATTERN __pycache__ EXCLUDE PATTERN "_core*.so" EXCLUDE PATTERN quire-probe EXCLUDE)
  set(command "${CMAKE_CURRENT_BINARY_DIR}/quire")
  file(WRITE "${command}" "#!${Python_EXECUTABLE}\nfrom quire.cli.start import main\n\nmain()\n")
  install(PROGRAMS "${command}" TYPE BIN COMPONENT tools)
endif()

install(TARGETS quire_core LIBRARY DESTINATION "${package}" COMPONENT python)
install(TARGETS quire_probe RUNTIME DESTINATION "${package}" COMPONENT python)
if(BUILD_SHARED_LIBS)
  set_target_properties(quire_core quire_probe PROPERTIES INSTALL_RPATH "${library_folder}")
  if(SKBUILD)
    install(TARGETS quire LIBRARY DESTINATION "${package}" COMPONENT python NAMELINK_SKIP)
  endif()
endif()
