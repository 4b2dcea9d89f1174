#include "transport/inflated.hpp"

#include <utility>

#include "base/stopwatch.hpp"

namespace quire {
namespace {

/// The compressed file, read through its transport.
class CompressedBytes final : public ByteSource {
 public:
  explicit CompressedBytes(std::unique_ptr<Transport> file) : file_(std::move(file)) {}
  [[nodiscard]] std::uint64_t size() override { return file_->size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    return file_->get(offset, out);
  }
  [[nodiscard]] Transport& file() noexcept { return *file_; }

 private:
  std::unique_ptr<Transport> file_;
};

}  // namespace

/// The inflated bytes as a raw file.
class InflatedFile final : public RawFile {
 public:
  InflatedFile(std::unique_ptr<Transport> file, const std::string& path, Compression compression,
               const SurveyOptions& options)
      : RawFile(request_for(path)), compressed_(std::make_shared<CompressedBytes>(std::move(file))) {
    count([&] { bytes_ = std::make_unique<InflatedBytes>(compressed_, compression, options); });
    survey_ = bytes_->survey();
    counters().opens = 1;
  }
  InflatedFile(std::unique_ptr<Transport> file, const std::string& path, InflationSurvey survey)
      : RawFile(request_for(path)),
        compressed_(std::make_shared<CompressedBytes>(std::move(file))),
        survey_(std::move(survey)) {}

  [[nodiscard]] const InflationSurvey& survey() const noexcept { return survey_; }

  void write(std::uint64_t offset, std::span<const std::byte> /*bytes*/) override { refuse(offset); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (out.empty()) return 0;
    open();
    std::size_t read = 0;
    count([&] { read = bytes_->read(offset, out); });
    return read;
  }
  [[nodiscard]] std::uint64_t size() override { return survey_.size; }
  void resize(std::uint64_t size) override { refuse(size); }
  void reserve(std::uint64_t /*from*/, std::uint64_t /*to*/) override {}
  void close() override {
    bytes_.reset();
    compressed_->file().close();
  }

 protected:
  [[nodiscard]] bool is_open() const noexcept override { return bytes_ != nullptr; }
  void open_now() override {
    count([&] { bytes_ = std::make_unique<InflatedBytes>(compressed_, survey_); });
  }
  void sync_data() override {}
  void sync_entry() override {}

 private:
  static FileRequest request_for(const std::string& path) { return {path, Access::read, false, false, {}}; }

  [[noreturn]] void refuse(std::uint64_t offset) const {
    throw Error(ErrorKind::unsupported, "a compressed file cannot be changed").in_file(path()).at(offset);
  }

  /// Counts the transfers of an action on the compressed file; the rest of its time is counted as inflating.
  template <class Action>
  void count(Action&& action) {
    const TransportCounters before = compressed_->file().counters();
    double seconds = 0;
    {
      const Stopwatch stopwatch(seconds);
      action();
    }
    const TransportCounters& after = compressed_->file().counters();
    TransportCounters& mine = counters();
    const double moving = after.transfer_seconds - before.transfer_seconds;
    mine.reads += after.reads - before.reads;
    mine.bytes_read += after.bytes_read - before.bytes_read;
    mine.read_sizes += after.read_sizes;
    mine.read_sizes -= before.read_sizes;
    mine.transfer_seconds += moving;
    mine.encode_seconds += seconds - moving;
  }

  std::shared_ptr<CompressedBytes> compressed_;
  InflationSurvey survey_;
  std::unique_ptr<InflatedBytes> bytes_{};
};

InflatedTransport::InflatedTransport(std::unique_ptr<InflatedFile> file)
    : FileTransport(std::move(file)), inflated_(static_cast<const InflatedFile*>(&this->file())) {}

InflatedTransport::InflatedTransport(std::unique_ptr<Transport> file, const std::string& path, Compression compression,
                                     const SurveyOptions& options)
    : InflatedTransport(std::make_unique<InflatedFile>(std::move(file), path, compression, options)) {}

InflatedTransport::InflatedTransport(std::unique_ptr<Transport> file, const std::string& path, InflationSurvey survey)
    : InflatedTransport(std::make_unique<InflatedFile>(std::move(file), path, std::move(survey))) {}

const InflationSurvey& InflatedTransport::survey() const noexcept { return inflated_->survey(); }

}  // namespace quire
