// Each rank writes neighbouring rows of one array: a contiguous piece of the file.
//
//     mpiexec -n 4 by_rows --output array.h5
//
// The selection is `by_rows` in patterns.cpp; writing and reading are `write_and_read` there, the same for all
// patterns.

#include "session.hpp"

int main(int argc, char** argv) { return patterns::main_of(argc, argv, patterns::all()[0]); }
