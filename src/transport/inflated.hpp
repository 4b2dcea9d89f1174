#pragma once

#include <memory>
#include <string>

#include "transport/file_transport.hpp"
#include "transport/inflated_bytes.hpp"

namespace quire {

class InflatedFile;

/// Reads the inflated bytes of the compressed file that another transport opens: all positions and sizes are those of
/// the inflated bytes. Read-only.
///
/// Always independent: each rank inflates for itself, from the nearest restart point, and never waits for another.
class InflatedTransport final : public FileTransport {
 public:
  /// Surveys the whole file.
  InflatedTransport(std::unique_ptr<Transport> file, const std::string& path, Compression compression,
                    const SurveyOptions& options);
  /// Uses the survey of another rank; the file is opened at the first read.
  InflatedTransport(std::unique_ptr<Transport> file, const std::string& path, InflationSurvey survey);

  [[nodiscard]] const InflationSurvey& survey() const noexcept;

 private:
  explicit InflatedTransport(std::unique_ptr<InflatedFile> file);
  const InflatedFile* inflated_;
};

}  // namespace quire
