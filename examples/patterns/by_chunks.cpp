// Each rank writes a block of one array: whole chunks of the file, where the format has them.
//
//     mpiexec -n 4 by_chunks --output array.h5
//
// The selection is `by_chunks` in patterns.cpp; writing and reading are `write_and_read` there, the same for all
// patterns. `options` there asks for the chunks.

#include "session.hpp"

int main(int argc, char** argv) { return patterns::main_of(argc, argv, patterns::all()[3]); }
