# Builds the sources in `ROOT` as a shared library into `BUILD`, with the options of `CONFIGURE`, and checks that as
# check.cmake does.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} -S ${ROOT} -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON
    -DQUIRE_EXAMPLES=OFF ${CONFIGURE})
run(${CMAKE_COMMAND} --build ${BUILD})
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)
