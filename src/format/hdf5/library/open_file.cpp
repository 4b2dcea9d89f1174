#include "format/hdf5/library/open_file.hpp"

#include <filesystem>
#include <utility>

#include "format/hdf5/library/driver.hpp"

namespace quire::hdf5 {
namespace {

std::string name_of(const DescribeContext& context) { return std::filesystem::path(context.path).filename().string(); }

}  // namespace

std::optional<Journal> overlay_journal(Image& image, std::uint64_t memory_budget) {
  auto journal = find_journal(image.reader(), image.size(), memory_budget);
  if (journal) image.overlay(journal->overwrites, journal->start);
  return journal;
}

RawFile open_raw_file(const DescribeContext& context, const Split& split) {
  const auto name = split.raw_name_beside(name_of(context));
  if (!name) {
    throw Error(ErrorKind::missing,
                "the raw data are in another file, whose name depends on the original name of this one")
        .advise("rename the two files to " + split.names());
  }
  auto bytes = context.member ? context.member({}, *name) : nullptr;
  if (bytes) return {*name, std::move(bytes)};
  throw Error(ErrorKind::missing, "the raw data of this file are in another one, which is missing: " + *name)
      .advise("put " + *name + " next to it");
}

bool has_usual_names(const std::string& first, std::string_view raw) { return raw == Split().raw_name_beside(first); }

void require_usual_names(const DescribeContext& context, const RawFile& raw) {
  if (has_usual_names(name_of(context), raw.name)) return;
  throw Error(ErrorKind::unsupported, "nothing is written to a file of raw data of this name, which other files than " +
                                          name_of(context) + " may mean, too: " + raw.name)
      .advise("convert it; what new files are called is " + Split().names());
}

Error raw_cut_error(const std::string& name, const Split& split, std::uint64_t size) {
  return Error(ErrorKind::bad_file, "the file of raw data is cut: " + name + " has " + std::to_string(size) +
                                        " bytes, the superblock of the other one states " +
                                        std::to_string(split.raw_end));
}

OpenFile::OpenFile(std::shared_ptr<ByteSource> bytes, const DescribeContext& context, CutFiles cut)
    : OpenFile(std::move(bytes), context.memory_budget, &context, cut) {}

OpenFile::OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, CutFiles cut)
    : OpenFile(std::move(bytes), memory_budget, nullptr, cut) {}

OpenFile::OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, const DescribeContext* context,
                   CutFiles cut)
    : image_(std::move(bytes), Image::Use::reading),
      raw_size_(image_.size()),
      journal_(overlay_journal(image_, memory_budget)),
      superblock_(read_superblock(image_.reader(), image_.size(), cut)),
      is_being_written_(context == nullptr ? nullptr : context->is_being_written),
      file_(open(context, cut)) {}

Handle OpenFile::open(const DescribeContext* context, CutFiles cut) {
  find_raw_file(context, cut);
  return with_hdf5(image_, [&] {
    image_.claim_end(superblock_.end);
    image_.set_superblock(superblock_);
    return open_image(image_);
  });
}

void OpenFile::find_raw_file(const DescribeContext* context, CutFiles cut) {
  auto split = read_split(image_.reader(), image_.size(), superblock_);
  if (!split) return;
  if (context == nullptr) return image_.set_split(*std::move(split), nullptr);
  RawFile raw = open_raw_file(*context, *split);
  raw_file_size_ = raw.bytes->size();
  if (raw_file_size_ < split->raw_end && cut != CutFiles::read) {
    throw raw_cut_error(raw.name, *split, raw_file_size_).advise(cut_advice(cut));
  }
  members_ = {name_of(*context), raw.name};
  image_.set_split(*std::move(split), std::move(raw.bytes));
}

std::optional<Error> OpenFile::cut() const {
  if (superblock_.end > raw_size_) return cut_error(superblock_, raw_size_);
  const auto& split = image_.split();
  if (members_.empty() || raw_file_size_ >= split->raw_end) return std::nullopt;
  return raw_cut_error(members_.back(), *split, raw_file_size_);
}

std::vector<Fact> OpenFile::facts() const {
  std::vector<Fact> facts{{"superblock version", std::to_string(superblock_.version)},
                          {"user block", std::to_string(superblock_.offset) + " bytes"}};
  if (members_.empty()) return facts;
  facts.push_back({"split", "true"});
  facts.push_back({"raw data", members_.back()});
  return facts;
}

void OpenFile::describe_leftovers(FileDescription& file) const {
  const bool has_leftovers = journal_ || raw_size_ > superblock_.end;
  const bool is_live = has_leftovers && is_being_written_ && is_being_written_();
  if (journal_) file.layout.push_back({"journal", "complete"});
  if (is_live) {
    file.warnings.emplace_back("the file is being written: the step that follows the last one is not complete yet");
  } else if (journal_) {
    file.warnings.emplace_back(
        "an interrupted publication was completed from its journal; quire recover makes it permanent");
  } else if (raw_size_ > superblock_.end) {
    file.warnings.push_back(
        std::to_string(raw_size_ - superblock_.end) +
        " bytes after the last published step were left by an unfinished one; quire recover drops them");
  }
  if (members_.empty()) return;
  file.members = members_;
  const std::uint64_t raw_end = image_.split()->raw_end;
  if (raw_file_size_ <= raw_end || (is_being_written_ && is_being_written_())) return;
  file.warnings.push_back(
      std::to_string(raw_file_size_ - raw_end) + " bytes at the end of " + members_.back() +
      " belong to no step: an unfinished one left them, or this is the file of another " + members_.front() +
      (has_usual_names(members_.front(), members_.back()) ? "; the next step that is written drops them" : ""));
}

Publication OpenFile::repair() const {
  const std::uint64_t end = superblock_.end;
  Publication acts;
  if (journal_) acts = complete(*journal_);
  if (journal_ ? journal_->start != end : raw_size_ > end) acts.emplace_back(PublishResize{end});
  // Raw data without a first file may belong to another pair whose first file was lost.
  if (!acts.empty() && !members_.empty() && raw_file_size_ > image_.split()->raw_end &&
      has_usual_names(members_.front(), members_.back())) {
    acts.emplace_back(PublishResize{first_raw_place + image_.split()->raw_end});
  }
  return acts;
}

}  // namespace quire::hdf5
