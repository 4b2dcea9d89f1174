#include "capi/views.hpp"

#include "capi/arguments.hpp"

namespace quire::capi {

namespace {

std::ptrdiff_t distance(Type type, std::int64_t stride) {
  return stride != 0 ? static_cast<std::ptrdiff_t>(stride) : static_cast<std::ptrdiff_t>(size_of(type));
}

void require_memory(const void* values, std::uint64_t count) {
  if (values == nullptr && count > 0) throw usage("the values are a null pointer");
}

}  // namespace

ConstView number_view(quire_type type, const void* values, std::uint64_t count, std::int64_t stride) {
  const Type of = number_type(type);
  require_memory(values, count);
  return {of, static_cast<const std::byte*>(values), count, distance(of, stride)};
}

View number_view(quire_type type, void* values, std::uint64_t count, std::int64_t stride) {
  const Type of = number_type(type);
  require_memory(values, count);
  return {of, static_cast<std::byte*>(values), count, distance(of, stride)};
}

std::unique_ptr<quire_texts> texts_from(const PackedStrings& strings) {
  auto texts = std::make_unique<quire_texts>();
  texts->bytes.reserve(strings.bytes.size() + strings.size());
  for (std::size_t i = 0; i < strings.size(); ++i) texts->add(strings[i]);
  return texts;
}

ColumnMemory::ColumnMemory(const Table& table, const std::vector<std::string>& columns, std::uint64_t rows) {
  for (const std::string& name : columns) {
    const Type type = table.columns.at(table.find(name)).type;
    if (type == Type::string) {
      targets_.push_back({name, {strings_.emplace_back(), rows}});
    } else {
      std::byte* data = numbers_.emplace_back(rows * size_of(type)).data();
      targets_.push_back({name, {type, data, rows, static_cast<std::ptrdiff_t>(size_of(type))}});
    }
  }
}

std::vector<ConstView> ColumnMemory::values() const {
  std::vector<ConstView> views;
  for (const ReadColumn& target : targets_) {
    const View& out = target.out;
    views.push_back(out.strings != nullptr ? ConstView(*out.strings)
                                           : ConstView(out.type, out.data, out.count, out.stride));
  }
  return views;
}

}  // namespace quire::capi
