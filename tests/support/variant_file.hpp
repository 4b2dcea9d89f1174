#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"

namespace quire::test {

/// Tests of files of each kind, with one communicator for all of them, as in a program: making one takes longer than
/// most cases.
class VariantTest : public testing::TestWithParam<Variant> {
 protected:
  static void SetUpTestSuite() {
    ranks_ = everyone();
    ranks_->set_deadline(std::chrono::seconds(60));
  }
  static void TearDownTestSuite() { ranks_.reset(); }

  Comm comm_ = *ranks_;

 private:
  static inline std::optional<Comm> ranks_;
};

/// Tests in which all ranks write a file of each kind, by the transport of this run.
class VariantFile : public VariantTest {
 protected:
  explicit VariantFile(const std::string& prefix) : file_(path(prefix + "_" + GetParam().name())) {
    options_.transport = transport();
    options_.deadline = std::chrono::seconds(60);
  }

  [[nodiscard]] std::uint64_t rank() const { return static_cast<std::uint64_t>(comm_.rank()); }
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(comm_.size()); }
  [[nodiscard]] static bool holds_steps() { return possible_steps(*GetParam().format, 2) == 2; }

  WriteOptions options_ = GetParam().write_options();
  std::string file_;
};

inline std::string name_of(const testing::TestParamInfo<Variant>& info) { return info.param.name(); }

}  // namespace quire::test
