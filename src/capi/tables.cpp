#include "quire/capi/tables.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "capi/views.hpp"
#include "quire/query/expression.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

/// The rows of the table that is written. A pointer does not state the number of its values.
std::uint64_t known_rows(const quire_file& file, const std::string& column) {
  const auto found = file.pending.rows.find(file.chosen.table);
  if (found != file.pending.rows.end()) return found->second;
  throw usage("the number of rows of this rank is not known").on(column).advise("call quire_set_rows before quire_put");
}

void choose_rows(quire_file& file, const quire::RowSelection& rows, const std::uint64_t* total) {
  if (file.writer) {
    open_step(file).rows_at(rows, total != nullptr ? std::optional(*total) : std::nullopt);
    file.pending.rows[file.chosen.table] = rows.count();
    return;
  }
  static_cast<void>(chosen_step(file));
  file.chosen.rows = rows;
}

/// Like guarded_in_step(), but a selection of rows that failed leaves none to be read.
quire_status choosing_rows(quire_file* file, const std::function<void()>& choose) noexcept {
  return guarded_in_step(file, [&] {
    file->chosen.rows.reset();
    choose();
  });
}

const quire::RowSelection& rows_to_read(const quire_file& file) {
  if (!file.chosen.rows) throw usage("no rows were chosen").advise("call quire_set_row_range or similar first");
  return *file.chosen.rows;
}

std::vector<std::uint64_t> numbers_of(const quire::RowSelection& rows) {
  if (const auto* listed = rows.list()) return *listed;
  std::vector<std::uint64_t> numbers;
  quire::SelectionWalk walk({rows.end()}, *rows.regular());
  while (const auto line = walk.next()) {
    for (std::uint64_t i = 0; i < line->count; ++i) numbers.push_back(line->first + i * line->step);
  }
  return numbers;
}

/// The numbers of the rows among `rows` that satisfy a condition.
std::vector<std::uint64_t> rows_where(quire_file& file, const char* condition, quire::Slice rows) {
  const quire::ReadStep& step = chosen_step(file);
  const std::string text = not_null(condition, "the condition");
  const quire::Expression expression(text);
  const quire::Table& table = chosen_table(file);
  const auto compiled =
      expression.compile(quire::scope_of(reader_of(file).description(), step.description(), table.name));
  if (rows.count > table.rows || rows.first > table.rows - rows.count) {
    throw usage("rows " + std::to_string(rows.first) + " to " + std::to_string(rows.first + rows.count) +
                " are not in the table, which has " + std::to_string(table.rows));
  }
  constexpr std::uint64_t most = 1 << 16;  // rows in memory at a time
  std::vector<std::uint64_t> found;
  for (std::uint64_t done = 0; done < rows.count; done += most) {
    const quire::Slice block{rows.first + done, std::min(most, rows.count - done)};
    ColumnMemory memory(table, compiled.columns(), block.count);
    step.read(table.name, block, memory.targets());
    compiled.select(memory.values(), block.first, block.count, found);
  }
  return found;
}

/// The requests of several columns for the chosen rows, and what becomes of their texts.
class Columns {
 public:
  Columns(const quire_file& file, std::uint64_t count, const char* const* names, const quire_type* types,
          void* const* values) {
    const std::uint64_t rows = rows_to_read(file).count();
    const auto all_types = list(types, count, "the types");
    const auto all_values = list(values, count, "the lists of values");
    const auto all_names = texts_of(names, count, "the names");
    texts_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (all_types[i] == QUIRE_STRING) {
        auto** texts = static_cast<quire_texts**>(all_values[i]);
        place(texts, "the texts") = nullptr;
        texts_[i].to = texts;
        requests_.push_back({all_names[i], {texts_[i].packed, rows}});
      } else {
        requests_.push_back({all_names[i], number_view(all_types[i], all_values[i], rows, file.chosen.stride)});
      }
    }
  }

  [[nodiscard]] const std::vector<quire::ReadColumn>& requests() const noexcept { return requests_; }
  void return_texts() {
    for (Texts& texts : texts_) {
      if (texts.to != nullptr) texts.result = texts_from(texts.packed);
    }
    for (Texts& texts : texts_) {
      if (texts.to != nullptr) *texts.to = texts.result.release();
    }
  }

 private:
  struct Texts {
    quire_texts** to = nullptr;
    quire::PackedStrings packed{};
    std::unique_ptr<quire_texts> result{};
  };
  std::deque<Texts> texts_;
  std::vector<quire::ReadColumn> requests_;
};

/// Memory for rows of a column.
quire::ReadColumn column_view(const quire_file& file, const char* column, quire_type type, uint64_t count,
                              void* values) {
  return {not_null(column, "the name of the column"), number_view(type, values, count, file.chosen.stride)};
}

}  // namespace

extern "C" {

quire_status quire_table(quire_file* file, const char* name) {
  return guarded_in_step(file, [&] {
    if (file->writer) {
      quire::WriteStep& step = open_step(*file);
      if (!file->pending.is_placed) step.table(text_or_empty(name));
    } else {
      const quire::StepDescription& step = chosen_step(*file).description();
      static_cast<void>(step.find_table(text_or_empty(name)));
    }
    file->chosen.table = text_or_empty(name);
    file->chosen.rows.reset();
  });
}

quire_status quire_set_stride(quire_file* file, int64_t bytes) {
  return guarded_in_step(file, [&] {
    if (!file->writer && !file->reader) throw usage("the file is not open");
    file->chosen.stride = bytes;
  });
}

quire_status quire_set_rows(quire_file* file, uint64_t rows) {
  return guarded_in_step(file, [&] {
    open_step(*file).rows(rows);
    file->pending.rows[file->chosen.table] = rows;
  });
}

quire_status quire_set_row_list(quire_file* file, uint64_t count, const uint64_t* rows, const uint64_t* total) {
  return choosing_rows(file, [&] { choose_rows(*file, copy_of(rows, count, "the rows"), total); });
}

quire_status quire_set_row_blocks(quire_file* file, uint64_t start, uint64_t stride, uint64_t count, uint64_t block,
                                  const uint64_t* total) {
  return choosing_rows(file, [&] { choose_rows(*file, quire::Hyperslab{{start}, {stride}, {count}, {block}}, total); });
}

quire_status quire_set_row_range(quire_file* file, uint64_t first, uint64_t count, const uint64_t* total) {
  return choosing_rows(file, [&] { choose_rows(*file, quire::Slice{first, count}, total); });
}

quire_status quire_set_rows_where(quire_file* file, const char* condition, uint64_t first, uint64_t count) {
  return choosing_rows(file, [&] { file->chosen.rows = rows_where(*file, condition, {first, count}); });
}

quire_status quire_get_rows(quire_file* file, uint64_t* rows) {
  return guarded(file, [&] {
    static_cast<void>(chosen_step(*file));
    place(rows, "the number of rows") = chosen_table(*file).rows;
  });
}

quire_status quire_get_chosen_rows(quire_file* file, uint64_t capacity, uint64_t* rows, uint64_t* count) {
  return guarded(file, [&] {
    const quire::RowSelection& chosen = rows_to_read(*file);
    place(count, "the count") = chosen.count();
    if (capacity == 0) return;
    if (rows == nullptr) throw usage("the rows are a null pointer");
    const auto numbers = numbers_of(chosen);
    std::copy_n(numbers.begin(), std::min<std::uint64_t>(capacity, numbers.size()), rows);
  });
}

quire_status quire_put(quire_file* file, const char* column, quire_type type, const void* values, const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const quire::Type of = number_type(type);
    const std::uint64_t rows = known_rows(*file, text_or_empty(column));
    const quire::ConstView view = number_view(type, values, rows, file->chosen.stride);
    step.put(quire::Column{quantity_of(column, of, unit, std::exchange(file->texts, {}))}, view);
  });
}

quire_status quire_put_texts(quire_file* file, const char* column, const char* const* texts, const uint64_t* lengths,
                             const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const auto given = list(texts, known_rows(*file, text_or_empty(column)), "the texts");
    quire::PackedStrings& packed = file->pending.strings.emplace_back();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const char* text = not_null(given[i], "a text");
      packed.push_back(lengths != nullptr ? std::string_view(text, lengths[i]) : std::string_view(text));
    }
    step.put(quire::Column{quantity_of(column, quire::Type::string, unit, std::exchange(file->texts, {}))}, packed);
  });
}

quire_status quire_put_constant(quire_file* file, const char* column, quire_type type, const void* value,
                                const char* unit) {
  return guarded_in_step(file, [&] {
    quire::WriteStep& step = open_step(*file);
    const quire::Type of = number_type(type);
    const auto bytes = list(static_cast<const std::byte*>(value), quire::size_of(of), "the value");
    step.put_constant(quire::Attribute{quantity_of(column, of, unit, std::exchange(file->texts, {})),
                                       quire::Value::numbers(of, {}, bytes)});
  });
}

quire_status quire_read(quire_file* file, const char* column, quire_type type, uint64_t first, uint64_t count,
                        void* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    step.read(file->chosen.table, quire::Slice{first, count}, {column_view(*file, column, type, count, values)});
  });
}

quire_status quire_read_all(quire_file* file, const char* column, quire_type type, uint64_t first, uint64_t count,
                            void* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const auto view = agreeable(step, [&] { return column_view(*file, column, type, count, values); });
    step.read_all(file->chosen.table, quire::Slice{first, count}, {view});
  });
}

quire_status quire_refuse_read_all(quire_file* file, quire_status status, const char* message) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const bool is_error = status > QUIRE_OK && status <= QUIRE_INTERNAL;
    if (!is_error) step.refuse_read(usage("the status of a refusal is not that of an error"));
    step.refuse_read(quire::Error(static_cast<quire::ErrorKind>(static_cast<int>(status) - 1),
                                  message != nullptr ? message : "a rank cannot read its part"));
  });
}

quire_status quire_read_texts(quire_file* file, const char* column, uint64_t first, uint64_t count,
                              quire_texts** texts) {
  return guarded(file, [&] {
    place(texts, "the texts") = nullptr;
    quire::PackedStrings packed;
    const std::string name = not_null(column, "the name of the column");
    chosen_step(*file).read(file->chosen.table, quire::Slice{first, count}, {{name, {packed, count}}});
    *texts = texts_from(packed).release();
  });
}

quire_status quire_read_texts_all(quire_file* file, const char* column, uint64_t first, uint64_t count,
                                  quire_texts** texts) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    quire::PackedStrings packed;
    const auto request = agreeable(step, [&] {
      place(texts, "the texts") = nullptr;
      return quire::ReadColumn{not_null(column, "the name of the column"), {packed, count}};
    });
    step.read_all(file->chosen.table, quire::Slice{first, count}, {request});
    *texts = texts_from(packed).release();
  });
}

quire_status quire_read_columns(quire_file* file, uint64_t columns, const char* const* names, const quire_type* types,
                                void* const* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    Columns chosen(*file, columns, names, types, values);
    step.read(file->chosen.table, rows_to_read(*file), chosen.requests());
    chosen.return_texts();
  });
}

quire_status quire_read_columns_all(quire_file* file, uint64_t columns, const char* const* names,
                                    const quire_type* types, void* const* values) {
  return guarded(file, [&] {
    const quire::ReadStep& step = chosen_step(*file);
    const auto chosen =
        agreeable(step, [&] { return std::make_shared<Columns>(*file, columns, names, types, values); });
    step.read_all(file->chosen.table, rows_to_read(*file), chosen->requests());
    chosen->return_texts();
  });
}

}  // extern "C"
