#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"

namespace quire::python {

// One function for each class or subject; module.cpp calls them in this order.
void bind_errors(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_bins(nanobind::module_& module);
void bind_description(nanobind::module_& module);
void bind_comm(nanobind::module_& module);
void bind_selection(nanobind::module_& module);
void bind_formats(nanobind::module_& module);
void bind_fit(nanobind::module_& module);
void bind_checksum(nanobind::module_& module);
void bind_expression(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_reader(nanobind::module_& module);
void bind_writer(nanobind::module_& module);
void bind_streams(nanobind::module_& module);
void bind_arrow_export(nanobind::module_& module);
void bind_arrow_import(nanobind::module_& module);
void bind_delimited(nanobind::module_& module);
void bind_views(nanobind::module_& module);
void bind_units(nanobind::module_& module);
void bind_value_list(nanobind::module_& module);

/// The Python exception (of quire.errors) for `error`.
[[nodiscard]] nanobind::object to_python(const Error& error);

/// A deadline in milliseconds, or none.
[[nodiscard]] Deadline deadline_from(std::optional<std::int64_t> milliseconds);

}  // namespace quire::python
