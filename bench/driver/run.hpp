#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "driver/method.hpp"
#include "driver/workload.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// What the command line asks for.
struct Request {
  std::string operation = "write";
  std::string path;  ///< of the files to make; methods that read add their names
  Workload workload;
  std::vector<MethodSpec> methods;
  unsigned passes = 5;
  std::uint64_t seed = 1;
  std::string kept;     ///< where the file of the last method measured for memory is left; empty: nowhere
  std::string damaged;  ///< the method whose file is spoiled before it is verified: for tests of the driver
};

/// Every rank throws it: bytes on some rank were wrong. A program may exit; no rank waits for it.
class WrongBytes : public Error {
 public:
  explicit WrongBytes(const Error& error) : Error(error) {}
};

/// Collective. Runs a check on every rank; if it throws on any, throws the error of the lowest such rank on all.
void check_together(Comm& comm, const std::function<void()>& check);

// Every operation is collective and prints one line of JSON for the run and one for each method, from rank 0.

/// Measures fresh writes, or reads of a warm file, of all methods in every pass, in an order drawn anew from the seed.
void run_speed(const Request& request, Comm comm);

/// Measures the peak of memory beyond the caller's arrays of each method, writing and reading.
void run_memory(const Request& request, Comm comm);

/// Counts the library's collectives of a step of a new and of a repeated shape.
void run_collectives(const Request& request, Comm comm);

}  // namespace quire::bench
