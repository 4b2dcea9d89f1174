#pragma once

// Everything a C++ user needs. Programs with MPI also include "quire/comm/mpi.hpp".
#include "quire/api/reader.hpp"                  // IWYU pragma: export
#include "quire/api/writer.hpp"                  // IWYU pragma: export
#include "quire/comm/partition.hpp"              // IWYU pragma: export
#include "quire/format/typed_read_options.hpp"   // IWYU pragma: export
#include "quire/format/typed_write_options.hpp"  // IWYU pragma: export
#include "quire/query/expression.hpp"            // IWYU pragma: export
