// Writes a file and reads it back with nothing but the installed headers and library.

#include <cstdio>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<double> x{1.5, 2.5, 3.5};
  quire::WriteOptions options;
  options.format = quire::formats().front()->name;
  quire::Writer out = quire::create(argv[1], quire::Comm::self(), options);
  quire::WriteStep step = out.step(0);
  step.set("time", 1.2e-9, "s").put("x", x, "m").commit();
  out.close();

  quire::Reader in = quire::open(argv[1]);
  std::vector<double> back(x.size());
  in.at(0).read({}, {0, x.size()}, {{"x", back}});
  in.close();
  std::puts(back == x ? "the same" : "different");
  return back == x ? 0 : 1;
}
