#include "api/publication.hpp"

namespace quire {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // Clang 14 does not deduce it by itself

}  // namespace

void carry_out(const Publication& acts, Transport& transport, bool durable) {
  for (const PublishAct& act : acts) {
    std::visit(Overloaded{
                   [&](const PublishWrite& write) { transport.put(write.offset, write.bytes); },
                   [&](const PublishResize& resize) { transport.resize(resize.size); },
                   [&](const PublishSync&) {
                     if (durable) transport.sync(false);
                   },
               },
               act);
  }
}

bool overwrites(const PublishAct& act, std::uint64_t published_size) {
  const auto* write = std::get_if<PublishWrite>(&act);
  return write != nullptr && write->offset < published_size;
}

}  // namespace quire
