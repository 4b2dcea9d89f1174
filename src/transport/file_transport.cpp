#include "transport/file_transport.hpp"

#include <utility>

#include "transport/failure.hpp"
#include "transport/read_pieces.hpp"
#include "transport/write_pieces.hpp"

namespace quire {

FileTransport::FileTransport(std::unique_ptr<RawFile> file) : file_(std::move(file)) {}

void FileTransport::run_alone(const WritePlan& mine) {
  FirstFailure failure(file_->path());
  failure.attempt([&] {
    const Gather gather = file_->takes_places() ? Gather::places : Gather::shared;
    WritePieces pieces(mine, file_->limits(), gather, file_->counters());
    const auto buffer = staging_.provide(pieces.buffer_bytes());
    while (const auto piece = pieces.next(buffer)) {
      if (piece->places.empty()) {
        file_->write(piece->offset, piece->bytes);
      } else {
        file_->write_places(piece->offset, piece->places);
      }
    }
  });
  failure.rethrow();
}

void FileTransport::run_alone(const ReadPlan& mine) {
  FirstFailure failure(file_->path());
  failure.attempt([&] {
    ReadPieces pieces(mine, file_->limits(), staging_, file_->counters());
    while (const auto piece = pieces.next()) pieces.take(file_->read(piece->offset, piece->memory));
  });
  failure.rethrow();
}

std::size_t FileTransport::get(std::uint64_t offset, std::span<std::byte> out) { return file_->read(offset, out); }

void FileTransport::put(std::uint64_t offset, std::span<const std::byte> bytes) { file_->write(offset, bytes); }

std::uint64_t FileTransport::size() { return file_->size(); }

void FileTransport::resize(std::uint64_t size) { file_->resize(size); }

void FileTransport::reserve(std::uint64_t from, std::uint64_t to) { file_->reserve(from, to); }

void FileTransport::sync(bool directory) { file_->sync(directory); }

void FileTransport::close() {
  staging_.leave();
  file_->close();
}

}  // namespace quire
