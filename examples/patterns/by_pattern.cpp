// Each rank writes every so many-th element of every so many-th row of one array.
//
//     mpiexec -n 4 by_pattern --output array.h5
//
// The selection is `by_pattern` in patterns.cpp; writing and reading are `write_and_read` there, the same for all
// patterns.

#include "session.hpp"

int main(int argc, char** argv) { return patterns::main_of(argc, argv, patterns::all()[2]); }
