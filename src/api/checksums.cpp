#include "api/checksums.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "api/root.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/member.hpp"
#include "transport/failure.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

constexpr std::string_view mark = "quire checksums\n";
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t head_bytes = mark.size() + 2 * word;
constexpr std::size_t entry_bytes = 4 * word;
constexpr std::uint64_t entries_at_once = 4096;
constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

using Entry = std::array<std::byte, entry_bytes>;

std::uint64_t hash_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// Identifies a file of a set, also after all have been renamed in the same way.
std::uint64_t key_of(std::string_view name, std::string_view first) {
  name.remove_prefix(static_cast<std::size_t>(std::ranges::mismatch(name, first).in1 - name.begin()));
  return name.empty() ? 0 : hash_of(std::as_bytes(std::span(name)));
}

Entry entry_of(std::uint64_t key, const SummedExtent& extent) {
  Entry entry{};
  std::size_t at = 0;
  for (const std::uint64_t number : {key, offset_in(extent.offset), extent.length, extent.hash}) {
    store(entry.data() + at, number, ByteOrder::little);
    at += word;
  }
  return entry;
}

/// The head of a table of checksums.
struct Head {
  std::uint64_t entries = 0;
  std::uint64_t sum = 0;
  template <class Archive>
  void archive(Archive& a) {
    a(entries, sum);
  }
};

std::vector<std::byte> printed(const Head& head) {
  const auto text = std::as_bytes(std::span(mark));
  std::vector<std::byte> bytes(text.begin(), text.end());
  bytes.resize(head_bytes);
  store(bytes.data() + mark.size(), head.entries, ByteOrder::little);
  store(bytes.data() + mark.size() + word, head.sum, ByteOrder::little);
  return bytes;
}

std::unique_ptr<Transport> open_sums(const std::string& path, Access access, const Comm& comm) {
  return open_transport("posix", path, access, comm, {});
}

Error damaged_sums(const std::string& path) {
  return Error(ErrorKind::bad_file, "the table of checksums is damaged").in_file(path).advise("remove it");
}

/// Rank 0: the head, or nothing without a table. Throws bad_file errors.
std::optional<Head> read_head(const std::string& path) {
  std::error_code ignored;
  if (!files::is_regular_file(path, ignored)) return std::nullopt;
  const auto table = open_sums(path, Access::read, Comm::self());
  std::vector<std::byte> bytes(head_bytes);
  const std::uint64_t size = table->size();
  if (table->get(0, bytes) != bytes.size() ||
      !std::ranges::equal(std::span(bytes).first(mark.size()), std::as_bytes(std::span(mark)))) {
    throw damaged_sums(path);
  }
  const Head head{load<std::uint64_t>(bytes.data() + mark.size(), ByteOrder::little),
                  load<std::uint64_t>(bytes.data() + mark.size() + word, ByteOrder::little)};
  if ((size - head_bytes) % entry_bytes != 0 || head.entries != (size - head_bytes) / entry_bytes) {
    throw damaged_sums(path);
  }
  return head;
}

/// The name of the object to which all of these bytes belong, if the first step has one.
std::string object_at(Reader::State& reader, const SummedExtent& extent) {
  const std::uint64_t address = extent.offset;
  std::string found;
  std::vector<std::string> inside;  // objects that begin after the first byte
  std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();
  static_cast<void>(caught(reader.comm.rank(), [&] {
    const auto step = reader.own_describer().step(0);
    if (!step) return;
    for (std::size_t t = 0; t < step->tables.size(); ++t) {
      for (const Run& run : step->tables[t].runs) {
        const auto look = [&](std::uint64_t offset, std::uint64_t records) {
          // Of an opaque run the size of the longest piece is known: another one may begin before its end.
          const std::uint64_t bytes = run.opaque ? run.bytes : records * run.record_bytes;
          const std::string& name = step->description.tables[t].name;
          if (bytes > 0 && offset > address && offset - address < extent.length) inside.push_back(name);
          if (address < offset || address - offset >= bytes || address - offset > nearest) return;
          nearest = address - offset;
          found = name;
        };
        if (run.pieces.empty()) look(run.offset, run.records);
        for (std::size_t p = 0; p < run.pieces.size(); ++p) {
          const std::uint64_t end = p + 1 < run.pieces.size() ? run.pieces[p + 1].first : run.records;
          look(run.pieces[p].offset, end - run.pieces[p].first);
        }
      }
    }
  }));
  const bool is_one = std::ranges::all_of(inside, [&](const std::string& name) { return name == found; });
  return is_one ? found : std::string();
}

class Verification {
 public:
  explicit Verification(Reader::State& reader) : reader_(reader), path_(sums_path(reader.path)) {
    const auto& members = reader.file.members;
    for (std::uint64_t m = 1; m < members.size(); ++m) {
      members_.emplace(key_of(members[static_cast<std::size_t>(m)], members.front()), m);
    }
    members_.insert_or_assign(0, 0);
  }

  /// Compares the bytes of these entries. Returns the sum of the hashes of the entries: whether the table itself is
  /// valid is known only when all have been read. Throws bad_file errors.
  std::uint64_t compare_all(const Slice& entries) {
    const auto table = open_sums(path_, Access::read, Comm::self());
    std::uint64_t sum = 0;
    for (std::uint64_t done = 0; done < entries.count; done += entries_at_once) {
      const auto count = static_cast<std::size_t>(std::min(entries_at_once, entries.count - done));
      std::vector<std::byte> bytes(count * entry_bytes);
      if (table->get(head_bytes + (entries.first + done) * entry_bytes, bytes) != bytes.size()) {
        throw damaged_sums(path_);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto entry = std::span<const std::byte>(bytes).subspan(i * entry_bytes, entry_bytes);
        sum += hash_of(entry);
        const auto number = [&](std::size_t at) {
          return load<std::uint64_t>(entry.data() + at * word, ByteOrder::little);
        };
        const auto member = members_.find(number(0));
        // A file that the index leaves out has no bytes that are read.
        if (member != members_.end()) compare({address_in(member->second, number(1)), number(2), number(3)});
      }
    }
    return sum;
  }

  [[nodiscard]] const std::optional<Error>& difference() const noexcept { return difference_; }

 private:
  void compare(const SummedExtent& extent) {
    if (difference_) return;
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    if (!state) throw Error(ErrorKind::memory, "not enough memory for a checksum");
    XXH3_64bits_reset(state.get());
    std::vector<std::byte> bytes;
    for (std::uint64_t done = 0; done < extent.length; done += bytes.size()) {
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes_at_once, extent.length - done)));
      if (reader_.transport->get(checked_add(extent.offset, done), bytes) != bytes.size()) return differ(extent);
      XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
    }
    if (XXH3_64bits_digest(state.get()) != extent.hash) differ(extent);
  }

  void differ(const SummedExtent& extent) {
    const std::uint64_t begin = offset_in(extent.offset);
    Error error(ErrorKind::bad_file, "the bytes " + std::to_string(begin) + " to " +
                                         std::to_string(begin + extent.length) +
                                         " are not those that were written: their checksum differs");
    error.at(begin).advise("if the file was changed on purpose, remove " + path_);
    const std::uint64_t member = member_of(extent.offset);
    if (member > 0 && member < reader_.file.members.size()) {
      error.in_file(
          (files::path(reader_.first_file).parent_path() / reader_.file.members[static_cast<std::size_t>(member)])
              .string());
    }
    const std::string object = object_at(reader_, extent);
    if (!object.empty()) error.on(object);
    difference_ = std::move(error);
  }

  Reader::State& reader_;
  std::string path_;
  std::map<std::uint64_t, std::uint64_t> members_;  ///< by the key in the table
  std::optional<Error> difference_;
};

/// Pieces of one cell, which follow each other, as one.
class Joining {
 public:
  Joining(std::uint64_t cell, const OpenMember& open) : cell_(cell), open_(open) {}

  /// `pieces` have rising offsets. Throws bad_file errors if the file has other bytes.
  [[nodiscard]] std::vector<SummedExtent> joined(std::span<const SummedExtent> pieces) {
    std::vector<SummedExtent> all;
    while (!pieces.empty()) {
      std::size_t count = 1;
      while (count < pieces.size() && goes_on(pieces[count - 1], pieces[count])) ++count;
      all.push_back(count == 1 ? pieces.front() : one_of(pieces.first(count)));
      pieces = pieces.subspan(count);
    }
    return all;
  }

 private:
  [[nodiscard]] bool goes_on(const SummedExtent& piece, const SummedExtent& next) const {
    return next.offset == piece.offset + piece.length && next.offset % cell_ != 0;
  }

  [[nodiscard]] SummedExtent one_of(std::span<const SummedExtent> pieces) {
    const std::uint64_t begin = pieces.front().offset;
    if (!file_ || member_of(begin) != member_) {
      member_ = member_of(begin);
      file_ = open_(member_);
    }
    // At most a cell.
    std::vector<std::byte> bytes(static_cast<std::size_t>(pieces.back().offset + pieces.back().length - begin));
    bytes.resize(file_->get(offset_in(begin), bytes));
    for (const SummedExtent& piece : pieces) {
      const auto first = static_cast<std::size_t>(piece.offset - begin);
      const auto length = static_cast<std::size_t>(piece.length);
      if (first + length > bytes.size() || hash_of(std::span(bytes).subspan(first, length)) != piece.hash) {
        throw Error(ErrorKind::bad_file,
                    "the bytes of the new file are not those that were written: no checksums are kept")
            .at(offset_in(piece.offset));
      }
    }
    return {begin, bytes.size(), hash_of(bytes)};
  }

  std::uint64_t cell_;
  const OpenMember& open_;
  std::uint64_t member_ = 0;
  std::unique_ptr<Transport> file_{};  ///< this member
};

/// Collective. The pieces of all ranks, each at a rank that depends on its offset in its file, by rising addresses.
/// Ranks share no cell.
std::vector<SummedExtent> exchanged(Comm& comm, const std::vector<SummedExtent>& mine, std::uint64_t cell) {
  std::array<std::uint64_t, 1> last{0};
  for (const SummedExtent& piece : mine) last[0] = std::max(last[0], offset_in(piece.offset));
  comm.maximum(last);
  std::uint64_t width = last[0] / static_cast<std::uint64_t>(comm.size()) + 1;
  if (cell != 0) width = (width + cell - 1) / cell * cell;
  std::map<int, std::vector<SummedExtent>> shares;
  for (const SummedExtent& piece : mine) shares[static_cast<int>(offset_in(piece.offset) / width)].push_back(piece);
  std::vector<Parcel> parcels;
  for (const auto& [rank, share] : shares) {
    const auto bytes = std::as_bytes(std::span(share));
    parcels.push_back({rank, {bytes.begin(), bytes.end()}});
  }
  std::vector<SummedExtent> all;
  for (const Parcel& parcel : comm.exchange(std::move(parcels))) {
    const std::size_t before = all.size();
    all.resize(before + parcel.bytes.size() / sizeof(SummedExtent));
    std::ranges::copy(parcel.bytes, std::as_writable_bytes(std::span(all).subspan(before)).begin());
  }
  std::ranges::sort(all, {}, &SummedExtent::offset);
  return all;
}

/// The entries of these pieces, by their offsets in their files, so that their order does not depend on the numbers of
/// members.
std::vector<Entry> entries_of(const std::vector<SummedExtent>& pieces, const NameOfMember& name) {
  std::vector<Entry> entries;
  for (const SummedExtent& piece : pieces) {
    const std::uint64_t member = member_of(piece.offset);
    entries.push_back(entry_of(member == 0 ? 0 : key_of(name(member), name(0)), piece));
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) {
    const auto number = [&](std::size_t at) {
      return load<std::uint64_t>(entry.data() + at * word, ByteOrder::little);
    };
    return std::pair(number(1), number(0));
  });
  return entries;
}

}  // namespace

std::string sums_path(const std::string& path) { return target_of(path) + ".quire-sums"; }

std::string partial_sums_path(const std::string& path) { return sums_path(path) + ".partial"; }

void remove_sums(const std::string& path) {
  std::error_code code;
  if (!files::exists(sums_path(path), code)) return;
  files::remove(sums_path(path), code);
  if (code) throw system_error("remove", code.value()).in_file(sums_path(path));
}

std::vector<SummedExtent> shared_sums(Comm& comm, const std::vector<SummedExtent>& mine, std::uint64_t cell,
                                      const OpenMember& open) {
  std::vector<SummedExtent> shared = exchanged(comm, mine, cell);
  if (cell == 0) return shared;
  agree(comm, caught(comm.rank(), [&] { shared = Joining(cell, open).joined(shared); }));
  return shared;
}

void write_sums(Comm& comm, const std::string& path, const std::vector<SummedExtent>& shared,
                const NameOfMember& name) {
  std::vector<Entry> entries;
  // A rank that cannot create its entries still takes part in the collectives; the error is reported below.
  const auto error = caught(comm.rank(), [&] { entries = entries_of(shared, name); });
  std::array<std::uint64_t, 2> total{entries.size(), 0};
  for (const Entry& entry : entries) total[1] += hash_of(entry);
  std::array<std::uint64_t, 2> before{};
  comm.sum_and_prefix(total, before);
  const std::string target = sums_path(path);
  const std::string partial = partial_sums_path(path);
  auto table = open_sums(partial, Access::create, comm);
  agree(comm, caught(comm.rank(), [&] {
          if (error) throw Error(*error);
          if (!entries.empty()) {
            table->put(head_bytes + before[0] * entry_bytes, std::as_bytes(std::span(entries)));
          }
          table->close();
        }));
  static_cast<void>(from_root(comm, [&]() -> std::vector<std::byte> {
    const auto first = open_sums(partial, Access::update, Comm::self());
    first->put(0, printed({total[0], total[1]}));
    first->close();
    std::error_code code;
    files::rename(partial, target, code);
    if (code) throw system_error("rename", code.value()).in_file(partial);
    return {};
  }));
}

std::optional<Error> find_changed_bytes(Reader::State& reader) {
  Comm& comm = reader.comm;
  try {
    const auto heads = unpack<std::vector<std::uint64_t>>(from_root(comm, [&] {
      const auto head = read_head(sums_path(reader.path));
      return pack(head ? std::vector<std::uint64_t>{head->entries, head->sum} : std::vector<std::uint64_t>{});
    }));
    if (heads.empty()) return std::nullopt;
    Verification verification(reader);
    std::array<std::uint64_t, 1> sum{0};
    const auto error =
        caught(comm.rank(), [&] { sum[0] = verification.compare_all(even_slice(heads[0], comm.rank(), comm.size())); });
    comm.sum(sum);
    agree(comm, error);
    if (sum[0] != heads[1]) throw damaged_sums(sums_path(reader.path));
    agree(comm, verification.difference());
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace quire
