#include "quire/comm/comm.hpp"

#include "bindings.hpp"
#include "comm/agreement.hpp"
#include "comm/mpi_part.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/transport/transport.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {

Deadline deadline_from(std::optional<std::int64_t> milliseconds) {
  if (!milliseconds) return std::nullopt;
  return std::chrono::milliseconds(*milliseconds);
}

/// Collective. The communicator with this Fortran handle, whose waits have the deadline.
Comm comm_from_handle(int handle, Deadline deadline) {
  const MpiPart* mpi = mpi_part();
  if (mpi != nullptr) return mpi->comm_of(handle, deadline);
  throw Error(ErrorKind::unsupported, "this build of Quire has no MPI")
      .advise("install its part for MPI with `pip install quire-mpi`, or leave the communicator out");
}

void bind_comm(nb::module_& module) {
  nb::class_<Comm>(module, "Comm")
      .def_static("alone", &Comm::self)
      .def_static("only_process", &Comm::only_process)
      .def_static(
          "from_handle",
          [](int handle, std::optional<std::int64_t> deadline) {
            const Deadline limit = deadline_from(deadline);
            const nb::gil_scoped_release release;
            return comm_from_handle(handle, limit);
          },
          nb::arg("handle"), nb::arg("deadline").none())
      .def_prop_ro("rank", &Comm::rank)
      .def_prop_ro("size", &Comm::size)
      .def("let_go", &Comm::let_go);
  module.def(
      "agree_on_call",
      [](Comm& comm, const Text& call, const std::optional<Error>& refusal) {
        const nb::gil_scoped_release release;
        agree_on_call(comm, call.value, refusal);
      },
      nb::arg("comm"), nb::arg("call"), nb::arg("refusal").none());
  module.def(
      "even_slice",
      [](std::uint64_t rows, int rank, int size) -> TupleOf<std::uint64_t, std::uint64_t> {
        const Slice mine = even_slice(rows, rank, size);
        return nb::make_tuple(mine.first, mine.count);
      },
      nb::arg("rows"), nb::arg("rank"), nb::arg("size"));
  module.def("has_mpi", [] { return mpi_part() != nullptr; });
  module.def("transport_names", []() -> Texts {
    nb::list names;
    for (const std::string_view transport : transport_names()) names.append(decode(transport));
    return names;
  });
}

}  // namespace quire::python
