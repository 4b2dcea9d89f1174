#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/compression.hpp"
#include "quire/api/reader.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/format/describer.hpp"
#include "transport/inflated_bytes.hpp"

namespace quire {

/// Moves the options that concern compression out of those of the format's reader.
[[nodiscard]] Options take_inflation_options(Options& options);

/// Their values. Throws usage errors.
[[nodiscard]] SurveyOptions survey_options(const Options& mine, std::uint64_t memory_budget);

/// Independent, rank 0. If the file is compressed, scans it and replaces `transport` by one that reads the inflated
/// bytes. `head` is the file's beginning and becomes that of the inflated bytes.
[[nodiscard]] std::optional<InflationSurvey> inflate_if_compressed(std::unique_ptr<Transport>& transport,
                                                                   const std::string& path,
                                                                   std::vector<std::byte>& head,
                                                                   const SurveyOptions& options);

/// Independent, the other ranks. The same with the survey of rank 0.
void inflate_as_surveyed(std::unique_ptr<Transport>& transport, const std::string& path, InflationSurvey survey);

/// If the format's reader is strict, warnings about the compression are errors too.
void refuse_tolerances(const InflationSurvey& survey, const Options& of_format);

/// Adds the compression of the file, and its damage, to the description of the file.
void describe_compression(FileDescription& file, const InflationSurvey& survey);

/// The damage of compressed data as an error after the last byte that can be read.
[[nodiscard]] Error damage_error(const InflationSurvey& survey);

/// Runs an action on inflated bytes; its bad_file errors state so, and report damage of the compressed data.
template <class Action>
auto with_damage_reported(const InflationSurvey& survey, Action&& action) {
  try {
    return action();
  } catch (Error& error) {
    if (error.kind() == ErrorKind::bad_file && error.object().empty()) {
      error.on("the bytes inside " + std::string(name(survey.compression)));
    }
    if (error.kind() == ErrorKind::bad_file && survey.damage) error.advise(damage_error(survey).message());
    throw;
  }
}

/// A describer of a file whose compressed data are damaged: after the last step that can be read it throws the damage.
[[nodiscard]] std::unique_ptr<Describer> describer_before_damage(std::unique_ptr<Describer> inner,
                                                                 InflationSurvey survey);

/// Throws an unsupported error if a file to be changed is compressed.
void refuse_compressed(std::span<const std::byte> head, const std::string& path);

}  // namespace quire
