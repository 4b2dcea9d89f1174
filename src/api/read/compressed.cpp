#include "api/read/compressed.hpp"

#include <utility>

#include "quire/spi/format/describer_capabilities.hpp"
#include "transport/inflated.hpp"

namespace quire {
namespace {

class DescriberBeforeDamage final : public Describer, public OpaqueReader, public DamageReader, public Repairer {
 public:
  DescriberBeforeDamage(std::unique_ptr<Describer> inner, InflationSurvey survey)
      : inner_(std::move(inner)), survey_(std::move(survey)) {}

  [[nodiscard]] const FileDescription& file() const override { return inner_->file(); }
  [[nodiscard]] std::uint64_t steps() override { return inner_->steps(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override { return inner_->step_number(index); }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override {
    auto layout = with_damage_reported(survey_, [&] { return inner_->step(index); });
    if (!layout && index == inner_->steps()) throw damage_error(survey_);
    return layout;
  }
  [[nodiscard]] DescriberCapabilities capabilities() override {
    const DescriberCapabilities found = inner_->capabilities();
    DescriberCapabilities mine{.damage = this, .repairer = this};
    if (found.opaque != nullptr) mine.opaque = this;
    return mine;
  }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override {
    inner_->capabilities().opaque->read_opaque(index, object, component, rows, out);
  }
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override { return step(index); }
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override {
    return salvaged_step(*inner_, index);
  }
  [[nodiscard]] Publication repair() override { return repair_acts(*inner_); }

 private:
  std::unique_ptr<Describer> inner_;
  InflationSurvey survey_;
};

}  // namespace

const std::vector<Option>& common_read_options() {
  static const std::vector<Option> options{{"unconfirmed",
                                            OptionKind::truth,
                                            "false",
                                            {},
                                            "read bytes of damaged compressed data that no checksum confirms"}};
  return options;
}

Options take_inflation_options(Options& options) {
  Options mine;
  for (const Option& option : common_read_options()) {
    const auto given = options.find(option.name);
    if (given != options.end()) mine.insert(options.extract(given));
  }
  return mine;
}

SurveyOptions survey_options(const Options& mine, std::uint64_t memory_budget) {
  return {.memory_budget = memory_budget,
          .unconfirmed = CheckedOptions(common_read_options(), mine).truth("unconfirmed")};
}

std::optional<InflationSurvey> inflate_if_compressed(std::unique_ptr<Transport>& transport, const std::string& path,
                                                     std::vector<std::byte>& head, const SurveyOptions& options) {
  const Compression compression = compression_of(head);
  if (compression == Compression::none) return std::nullopt;
  auto inflated = std::make_unique<InflatedTransport>(std::move(transport), path, compression, options);
  InflationSurvey survey = inflated->survey();
  transport = std::move(inflated);
  if (survey.size == 0 && survey.damage) throw damage_error(survey);
  head.resize(recognised_bytes);
  head.resize(transport->get(0, head));
  if (compression_of(head) != Compression::none) {
    throw Error(ErrorKind::unsupported, "the file is compressed twice").in_file(path).advise("decompress it once");
  }
  return survey;
}

void inflate_as_surveyed(std::unique_ptr<Transport>& transport, const std::string& path, InflationSurvey survey) {
  transport = std::make_unique<InflatedTransport>(std::move(transport), path, std::move(survey));
}

void refuse_tolerances(const InflationSurvey& survey, const Options& of_format) {
  const auto strict = of_format.find("strict");
  if (survey.warnings.empty() || strict == of_format.end() || strict->second != "true") return;
  throw Error(ErrorKind::bad_file, survey.warnings.front()).at(survey.size);
}

void describe_compression(FileDescription& file, const InflationSurvey& survey) {
  file.layout.push_back({"compression", std::string(name(survey.compression))});
  file.warnings.insert(file.warnings.end(), survey.warnings.begin(), survey.warnings.end());
  if (survey.damage) file.warnings.push_back(damage_error(survey).message());
}

Error damage_error(const InflationSurvey& survey) {
  const CompressionDamage damage = survey.damage.value_or(CompressionDamage{});
  const std::string place = damage.reason + " at byte " + std::to_string(damage.offset) + " of the compressed file";
  const std::string rest = survey.size == 0 ? "no byte of it can be read"
                                            : "only the " + std::to_string(survey.size) + " bytes before can be read";
  Error error(ErrorKind::bad_file, place + "; " + rest);
  if (!damage.cut) {
    error.advise(
        "the read option unconfirmed=true also reads bytes that no checksum confirms; values may be wrong there");
  }
  return error.at(survey.size);
}

std::unique_ptr<Describer> describer_before_damage(std::unique_ptr<Describer> inner, InflationSurvey survey) {
  return std::make_unique<DescriberBeforeDamage>(std::move(inner), std::move(survey));
}

void refuse_compressed(std::span<const std::byte> head, const std::string& path) {
  const Compression compression = compression_of(head);
  if (compression == Compression::none) return;
  throw Error(ErrorKind::unsupported,
              "the file is compressed (" + std::string(name(compression)) + ") and cannot be changed in place")
      .in_file(path)
      .advise("convert it into a file without compression first");
}

}  // namespace quire
