# Installs `BUILD` into `PREFIX`, builds the programs in `SOURCE` against that, by CMake in C++ and in C and by
# `PKG_CONFIG`, and runs those that need no starter in `WORK`.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PREFIX} ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component library)
foreach(folder IN ITEMS . c)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${folder} -B ${WORK}/${folder} -G Ninja -DCMAKE_PREFIX_PATH=${PREFIX})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
  run(${WORK}/${folder}/client ${WORK}/client.data)
endforeach()

file(GLOB_RECURSE description ${PREFIX}/*.pc)
cmake_path(GET description PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder})
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs quire OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${C_COMPILER} -o ${WORK}/plain ${SOURCE}/c/client.c ${flags})
run(${WORK}/plain ${WORK}/client.data)
