#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/transport/transport.hpp"

namespace quire {

/// Independent. The file that is opened when a user names `path`: for a directory the one that a format opens in its
/// place. Throws bad_file errors for directories that no format knows; `format` restricts the choice to one by name.
[[nodiscard]] std::string first_file_of(const std::string& path, const std::string& format,
                                        const Options& options = {});

/// The name of a member beside the first file.
using MemberName = std::function<std::string(std::uint64_t member)>;
/// Opens a file for this rank alone.
using OpenAlone = std::function<std::unique_ptr<Transport>(const std::string& path)>;

/// Independent. A transport of the whole set whose first file another one moves.
[[nodiscard]] std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                                      MemberName name, OpenAlone open);

/// Independent. The same for a set that was described: names in a file are not trusted, so that none leads elsewhere.
[[nodiscard]] std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                                      const FileDescription& file, OpenAlone open);

/// Independent. The path of member 0 of what is written to `path`.
[[nodiscard]] std::string first_file_for(const std::string& path, const WritePlanner& planner);

/// Rank 0. Throws conflict errors if a file that belongs to no set with `target` as its first file stands where a
/// member of a new one comes, or, if members are to be `renamed` to their places, a symbolic link: only the link would
/// go.
void refuse_strangers(const std::string& target, const WritePlanner& planner, bool renamed);

/// Rank 0. Whether a file beside `target` belongs to its set, and goes when a new one takes its place.
[[nodiscard]] std::function<bool(const std::string& name)> member_test(const std::string& target,
                                                                       const WritePlanner& planner);

/// Rank 0. Makes room for a new set: the directory, and no member of an old one in it. If `durable`, a directory that
/// was not there survives a power cut.
void clear_members(const std::string& path, const WritePlanner& planner, bool durable);

/// Rank 0. Removes members beside the first file that belonged to what stood in its place; of a link only the link.
void remove_members(const std::string& first, const std::vector<std::string>& names);

/// The paths of the members other than the first of a set whose names are known before it is written.
[[nodiscard]] std::vector<std::string> paths_of_members(const std::string& first, const WritePlanner& planner);

}  // namespace quire
