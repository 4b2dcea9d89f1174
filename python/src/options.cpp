#include "options.hpp"

#include "text.hpp"

namespace nb = nanobind;

namespace quire::python {

Options options_from(const OptionDict& given) {
  Options options;
  for (const auto& [key, value] : given) {
    options.insert_or_assign(nb::cast<Text>(key).value, nb::cast<Text>(value).value);
  }
  return options;
}

TimingTuple to_tuple(const Timing& timing) {
  return nb::make_tuple(timing.plan, timing.wait, timing.encode, timing.transfer, timing.metadata);
}

CounterTuple to_tuple(const TransportCounters& counters, const Traffic& traffic) {
  return nb::make_tuple(counters.opens, counters.writes, counters.reads, counters.bytes_written, counters.bytes_read,
                        counters.syncs, counters.encode_seconds, counters.transfer_seconds, traffic.collectives,
                        traffic.messages, traffic.bytes);
}

}  // namespace quire::python
