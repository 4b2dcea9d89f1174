#include "format/sdds/record_walk.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/model/type.hpp"

namespace quire::sdds {

std::uint64_t fixed_bytes(Type type) noexcept { return type == Type::string ? length_bytes : size_of(type); }

std::uint64_t mark_distance(std::uint64_t records) noexcept {
  std::uint64_t every = 1;
  while (records / every > most_marks || (records / every == most_marks && records % every != 0)) every *= 2;
  return every;
}

RecordWalk::RecordWalk(Run run, std::uint64_t file_size)
    : run_(std::move(run)), file_size_(file_size), record_begin_(run_.offset), position_(run_.offset) {
  run_.record_bytes = 0;
  run_.marks.every = mark_distance(run_.records);
  for (const Cell& cell : run_.cells) {
    if (cell.type == Type::string) {
      gaps_.push_back(std::exchange(tail_, 0));
    } else {
      tail_ += size_of(cell.type);
    }
  }
}

std::optional<Need> RecordWalk::advance(const Window& window) {
  const auto beyond_end = [this](std::uint64_t offset) {
    return Error(ErrorKind::bad_file, "the file ends inside record " + std::to_string(record_))
        .at(std::min(offset, file_size_));
  };
  while (record_ < run_.records) {
    if (string_ == 0 && run_.marks.offsets.size() * run_.marks.every == record_) {
      run_.marks.offsets.push_back(position_);
    }
    for (; string_ < gaps_.size(); ++string_) {
      const std::uint64_t at = position_ + gaps_[string_];
      if (at + length_bytes > file_size_) throw beyond_end(at);
      if (at < window.offset || at + length_bytes > window.offset + window.bytes.size()) return Need{at, length_bytes};
      const auto length = load<std::int32_t>(window.bytes.data() + (at - window.offset), run_.order);
      if (length < 0) {
        throw Error(ErrorKind::bad_file, "a string of record " + std::to_string(record_) + " has the negative length " +
                                             std::to_string(length))
            .at(at);
      }
      position_ = at + length_bytes + static_cast<std::uint64_t>(length);
      if (position_ > file_size_) {
        throw Error(ErrorKind::bad_file, "a string of " + std::to_string(length) + " bytes in record " +
                                             std::to_string(record_) + " reaches beyond the end of the file")
            .at(at);
      }
    }
    if (position_ + tail_ > file_size_) throw beyond_end(position_);
    position_ += tail_;
    string_ = 0;
    ++record_;
    record_begin_ = position_;
  }
  return std::nullopt;
}

Run RecordWalk::found() const { return walked_part(run_, record_, record_begin_); }

Run walked_part(Run run, std::uint64_t records, std::uint64_t end) {
  run.records = records;
  run.bytes = end - run.offset;
  run.marks.offsets.resize(static_cast<std::size_t>((records + run.marks.every - 1) / run.marks.every));
  return run;
}

}  // namespace quire::sdds
