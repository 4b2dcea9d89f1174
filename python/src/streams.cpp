#include "quire/api/streams.hpp"

#include "bindings.hpp"
#include "buffer.hpp"
#include "handles.hpp"

namespace nb = nanobind;

namespace quire::python {
namespace {

struct StreamReaderHandle {
  std::shared_ptr<OpenReader> file;
  StreamReader stream;
};

/// The step, which holds the bytes until the commit, lives as long as the stream: see keep_alive below.
struct StreamWriterHandle {
  WriteStepHandle* step;
  StreamWriter stream;
};

ListOf<StreamReaderHandle> streams_of(const ReadStepHandle& self, const std::vector<std::int64_t>& wanted,
                                      bool by_index, const std::optional<Error>& refusal) {
  const auto by = by_index ? StreamsBy::index : StreamsBy::rank;
  const auto streams = self.file->run([&](Reader&) { return self.step.streams(wanted, by, refusal); });
  nb::list list;
  for (const StreamReader& stream : streams) list.append(nb::cast(StreamReaderHandle{self.file, stream}));
  return list;
}

std::size_t read_into(const StreamReaderHandle& self, std::uint64_t position, Unchecked<Array<std::uint8_t>> array) {
  const Buffer buffer(array, Buffer::Use::fill);
  const std::span<std::byte> out(buffer.data(), static_cast<std::size_t>(buffer.count()));
  return self.file->run([&](Reader&) { return self.stream.read_at(position, out); });
}

/// Key, offset and bytes.
using RecordTuple = TupleOf<std::uint64_t, std::uint64_t, std::uint64_t>;

std::optional<RecordTuple> record_at(const StreamReaderHandle& self, std::uint64_t position) {
  const auto record = self.file->run([&](Reader&) { return self.stream.record_at(position); });
  if (!record) return std::nullopt;
  return RecordTuple(nb::make_tuple(record->key, record->offset, record->bytes));
}

ExtentList chunks_of(const StreamReaderHandle& self) {
  nb::list list;
  for (const Extent& chunk : self.stream.layout().chunks) list.append(nb::make_tuple(chunk.offset, chunk.length));
  return list;
}

/// Bytes of an array that the step holds, for before the step is opened they are only looked at.
std::span<const std::byte> bytes_of(StreamWriterHandle& self, Unchecked<Array<std::uint8_t>> array) {
  const ConstView view = self.step->held.view(Type::uint8, array);
  return {view.data, static_cast<std::size_t>(view.count)};
}

template <class Put>
void hand_over(StreamWriterHandle& self, Unchecked<Array<std::uint8_t>> array, bool is_open, Put&& put) {
  const auto bytes = bytes_of(self, array);
  self.step->file->run([&](Writer&) { put(bytes); });
  // What goes to the file at once is not held any longer.
  if (is_open) self.step->held.buffers.pop_back();
}

void bind_reading(nb::module_& module) {
  nb::class_<StreamReaderHandle>(module, "StreamReader")
      .def_prop_ro("rank", [](const StreamReaderHandle& self) { return self.stream.rank(); })
      .def_prop_ro("index", [](const StreamReaderHandle& self) { return self.stream.index(); })
      .def_prop_ro("size", [](const StreamReaderHandle& self) { return self.stream.size(); })
      .def_prop_ro("file", [](const StreamReaderHandle& self) { return self.stream.layout().file; })
      .def_prop_ro("file_index", [](const StreamReaderHandle& self) { return self.stream.layout().file_index; })
      .def_prop_ro("chunk_bytes", [](const StreamReaderHandle& self) { return self.stream.layout().chunk_bytes; })
      .def_prop_ro("order",
                   [](const StreamReaderHandle& self) {
                     return self.stream.layout().order == ByteOrder::little ? "little" : "big";
                   })
      .def_prop_ro("has_records",
                   [](const StreamReaderHandle& self) { return self.stream.layout().records.has_value(); })
      .def_prop_ro("chunks", &chunks_of)
      .def("read_at", &read_into, nb::arg("position"), nb::arg("array"))
      .def("record_at", &record_at, nb::arg("position"));
  module.def("streams", &streams_of, nb::arg("step"), nb::arg("wanted"), nb::arg("by_index"),
             nb::arg("refusal").none());
}

void bind_writing(nb::module_& module) {
  nb::class_<StreamWriterHandle>(module, "StreamWriter")
      .def(
          "write",
          [](StreamWriterHandle& self, Unchecked<Array<std::uint8_t>> array, bool is_open) {
            hand_over(self, array, is_open, [&](auto bytes) { self.stream.write(bytes); });
          },
          nb::arg("array"), nb::arg("is_open"))
      .def(
          "write_together",
          [](StreamWriterHandle& self, Unchecked<Array<std::uint8_t>> array, bool is_open) {
            hand_over(self, array, is_open, [&](auto bytes) { self.stream.write_together(bytes); });
          },
          nb::arg("array"), nb::arg("is_open"))
      .def(
          "write_record",
          [](StreamWriterHandle& self, std::uint64_t key, Unchecked<Array<std::uint8_t>> array, bool is_open) {
            hand_over(self, array, is_open, [&](auto bytes) { self.stream.write_record(key, bytes); });
          },
          nb::arg("key"), nb::arg("array"), nb::arg("is_open"))
      .def(
          "ensure_space", [](StreamWriterHandle& self, std::uint64_t bytes) { self.stream.ensure_space(bytes); },
          nb::arg("bytes"))
      .def_prop_ro("size", [](const StreamWriterHandle& self) { return self.stream.size(); })
      .def_prop_ro("left_in_chunk", [](const StreamWriterHandle& self) { return self.stream.left_in_chunk(); });
  module.def(
      "stream",
      [](WriteStepHandle& self, std::int64_t rank, std::optional<std::uint64_t> chunk_bytes,
         std::optional<std::uint64_t> file, std::optional<std::uint64_t> index) {
        return StreamWriterHandle{
            &self, self.step.stream({.rank = rank, .chunk_bytes = chunk_bytes, .file = file, .index = index})};
      },
      nb::arg("step"), nb::arg("rank"), nb::arg("chunk_bytes").none(), nb::arg("file").none(), nb::arg("index").none(),
      nb::keep_alive<0, 1>());
}

}  // namespace

void bind_streams(nb::module_& module) {
  bind_reading(module);
  bind_writing(module);
}

}  // namespace quire::python
