#pragma once

#include <functional>

#include "patterns.hpp"

namespace patterns {

/// The main function of an example: MPI, the command line (--output FILE, --format, --transport, --option NAME=VALUE),
/// and what becomes of errors. `work` returns whether all is as it should be.
int main_of(int argc, char** argv, const char* title,
            const std::function<bool(const quire::Comm& comm, const Start& start)>& work);

/// The same for one of the patterns.
int main_of(int argc, char** argv, const Pattern& pattern);

}  // namespace patterns
