// Each rank writes every so many-th column of one array: single elements, all over the file.
//
//     mpiexec -n 4 by_columns --output array.h5
//
// The selection is `by_columns` in patterns.cpp; writing and reading are `write_and_read` there, the same for all
// patterns.

#include "session.hpp"

int main(int argc, char** argv) { return patterns::main_of(argc, argv, patterns::all()[1]); }
