#include "bindings.hpp"
#include "block_pool.hpp"
#include "typing.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

using ByteArray = Array<std::uint8_t>;

/// A block on loan to a NumPy array; it goes back when the last view of the array is gone.
struct Loan {
  std::shared_ptr<BlockPool> pool;
  BlockPool::Block block;
};

void end_loan(void* loan) noexcept {
  const std::unique_ptr<Loan> ended(static_cast<Loan*>(loan));
  ended->pool->give_back(std::move(ended->block));
}

/// What Python holds: the loans share the pool, so that they may outlive it.
struct PoolHandle {
  std::shared_ptr<BlockPool> pool;
};

ByteArray lend(const PoolHandle& self, std::uint64_t bytes) {
  auto loan = std::make_unique<Loan>();
  loan->pool = self.pool;
  loan->block = self.pool->take(bytes);
  std::byte* memory = loan->block.memory.get();
  const nb::capsule owner(loan.get(), end_loan);
  static_cast<void>(loan.release());  // the capsule has it now
  return ByteArray(memory, {static_cast<std::size_t>(bytes)}, owner);
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::class_<PoolHandle>(module, "BlockPool")
      .def(
          "__init__",
          [](PoolHandle* self, std::uint64_t capacity) {
            new (self) PoolHandle{std::make_shared<BlockPool>(capacity)};
          },
          nb::arg("capacity"))
      .def("take", &lend, nb::arg("bytes"), nb::rv_policy::reference)
      .def("clear", [](const PoolHandle& self) { self.pool->clear(); })
      .def_prop_ro("capacity", [](const PoolHandle& self) { return self.pool->capacity(); })
      .def_prop_ro("kept_bytes", [](const PoolHandle& self) { return self.pool->kept_bytes(); });
}

}  // namespace quire::python
