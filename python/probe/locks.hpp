#pragma once

#include <string>

#include "quire/comm/comm.hpp"

namespace quire::probe {

/// Collective. Whether locks of byte ranges (fcntl) and of files (flock) keep ranks apart; prints a line for each.
void examine_locks(Comm& comm, const std::string& path);

/// Collective. What the HDF5 library does with a file that another rank has open, under the mode of locking that its
/// environment sets; prints a line for each step.
void examine_library_locks(Comm& comm, const std::string& path);

/// Independent. Makes so many arrays by the HDF5 library, in a file of memory that is given up at once.
void make_library_objects(int count);

/// Collective. The duration of small operations; prints a line of medians and quartiles for each.
void measure_costs(Comm& comm, const std::string& directory, std::size_t repetitions);

}  // namespace quire::probe
